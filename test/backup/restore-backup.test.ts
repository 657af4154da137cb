import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArchiveMember,
  readBackupArchive,
  writeBackupArchive,
} from "../../src/backup/backup-archive.ts";
import type { Manifest } from "../../src/backup/backup-manifest.ts";
import { createBackup } from "../../src/backup/create-backup.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { OperatorError } from "../../src/domain/errors.ts";
import { createMasterKeyFile } from "../../src/secrets/master-key.ts";
import { countSqliteRowsByTable } from "../../src/store/sqlite/inspect-sqlite-database.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { CAN_MOUNT, useDisks } from "../support/disk.ts";

/*
 * Backups whose checksums are right, and whose database is not one that Mainstay made: changed by hand, or by somebody who
 * knows the passphrase.
 */

const diskOf = useDisks();
const NOW = Date.UTC(2026, 0, 31);
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const folder = mkdtempSync(join(tmpdir(), "mainstay-restore-"));
const original = join(folder, "original");
const intact = join(original, "mainstay.db");
const backup = join(folder, "original.backup");
let manifest: Manifest;
const PHOTO = `${"a".repeat(32)}.jpg`;
beforeAll(async () => {
  mkdirSync(join(original, "uploads"), { recursive: true });
  createMasterKeyFile(original, random);
  const making = join(folder, "making.db");
  await openSqliteStore(making, { clock: () => NOW, random }).close();
  change(
    making,
    `INSERT INTO photos (id, partner_id, appliance_id, filename, original_name, media_type, bytes, sha256, uploaded_at)
     VALUES ('PH_1', 'P', 'A', '${PHOTO}', 'x.jpg', 'image/jpeg', 5, '', 0)`,
    // A copy without a write-ahead log, which a connection that is not finalized yet may leave.
    `VACUUM INTO '${intact}'`,
  );
  writeFileSync(join(original, "uploads", PHOTO), "photo");
  const request = { passphrase: undefined, includeKey: true, productVersion: "0.1.0", now: NOW };
  manifest = (await createBackup({ ...request, file: backup, dataDir: original, databaseFile: intact }))
    .manifest;
});
afterAll(() => rmSync(folder, { recursive: true }));

function change(file: string, ...statements: string[]): void {
  const db = new Database(file);
  db.run("PRAGMA foreign_keys = OFF");
  for (const statement of statements) db.run(statement);
  db.close();
}

let made = 0;
/** Restores a backup whose database was changed after it was written: by statements, or byte by byte. */
async function restoreChanged(...changes: (string | ((database: Buffer) => void))[]) {
  const name = join(folder, `${++made}`);
  const database = `${name}.db`;
  copyFileSync(intact, database);
  change(database, ...changes.filter((one) => typeof one === "string"));
  const members = await membersOf(backup);
  const db = new Database(database, { readonly: true });
  const counts = countSqliteRowsByTable(db);
  db.close();
  const bytes = readFileSync(database);
  for (const one of changes) if (typeof one === "function") one(bytes);
  const changed = { ...manifest, counts, database_bytes: bytes.length };
  members[0] = memberOf("manifest.json", Buffer.from(JSON.stringify(changed)));
  members[1] = memberOf("mainstay.db", bytes);
  const file = `${name}.backup`;
  await writeBackupArchive(file, members, { lock: undefined, mtime: new Date(NOW) });
  const dataDir = `${name} restored`;
  const restored = await restoreBackup({ file, dataDir, passphrase: undefined, keyFile: undefined, env: {} });
  return { ...restored, database: join(dataDir, "mainstay.db") };
}
const memberOf = (name: string, bytes: Buffer): ArchiveMember => ({
  name,
  bytes: bytes.length,
  content: () => [bytes],
});
async function membersOf(file: string): Promise<ArchiveMember[]> {
  const members: ArchiveMember[] = [];
  for await (const { name, content } of readBackupArchive(file, undefined))
    members.push(memberOf(name, Buffer.concat(await Array.fromAsync(content))));
  return members;
}

const DUPLICATE_UNITS = [
  "DROP INDEX units_list",
  "INSERT INTO units (id, property_id, number, created_at) VALUES ('U_1', 'P', 1, 0), ('U_2', 'P', 1, 0)",
];

/** Expects that the restore is refused, with a text, and leaves no files. */
async function expectRefused(text: string, ...changes: Parameters<typeof restoreChanged>): Promise<void> {
  const error = await restoreChanged(...changes).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OperatorError);
  expect(String(error)).toContain(text);
  expect(readdirSync(folder).filter((name) => name.includes("restor") && name.includes(`${made}`))).toEqual(
    [],
  );
}

function definitions(file: string): unknown[] {
  const db = new Database(file, { readonly: true });
  const found = db
    .query("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1, 2")
    .all();
  db.close();
  return found;
}

// Rule: restore-schema
describe("a restore gives the database the definitions of its schema", () => {
  test("and reports nothing for a database as Mainstay made it", async () => {
    const { repairs, pendingMigrations } = await restoreChanged();
    expect({ repairs, pendingMigrations }).toEqual({ repairs: [], pendingMigrations: 0 });
  });

  test("without triggers, views and indexes of others", async () => {
    const { repairs, database } = await restoreChanged(
      "CREATE TRIGGER spy AFTER INSERT ON partners BEGIN DELETE FROM administrators; END",
      'CREATE VIEW "a ""quoted"" view" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
      "CREATE UNIQUE INDEX one_each ON partners (name)",
      "CREATE VIEW names AS SELECT name FROM partners",
      "CREATE TRIGGER names_insert INSTEAD OF INSERT ON names BEGIN SELECT 1; END",
    );
    expect(repairs.toSorted()).toEqual([
      "removed the index one_each",
      "removed the trigger names_insert",
      "removed the trigger spy",
      'removed the view a "quoted" view',
      "removed the view names",
    ]);
    expect(definitions(database)).toEqual(definitions(intact));
  });

  test("with its own that were dropped or replaced", async () => {
    const { repairs, database } = await restoreChanged(
      "DROP TRIGGER audit_log_keeps_rows",
      "CREATE TRIGGER audit_log_keeps_rows AFTER DELETE ON audit_log BEGIN SELECT 1; END",
    );
    expect(repairs).toEqual([
      "removed the trigger audit_log_keeps_rows",
      "created the trigger audit_log_keeps_rows",
    ]);
    expect(definitions(database)).toEqual(definitions(intact));
  });

  test("and keeps further tables and columns with their constraints, and other page sizes", async () => {
    const { repairs, database } = await restoreChanged(
      'CREATE TABLE "notes"" FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n) --" (text)',
      "ALTER TABLE partners ADD COLUMN remark TEXT CHECK (name <> 'Acme')",
      "ALTER TABLE partners ADD COLUMN twice TEXT GENERATED ALWAYS AS (name || name) VIRTUAL",
      "PRAGMA journal_mode = DELETE",
      "PRAGMA page_size = 65536",
      "VACUUM",
    );
    expect(repairs).toEqual([]);
    expect(JSON.stringify(definitions(database))).toContain("CHECK (name <> 'Acme')");
    const store = openSqliteStore(database, { clock: () => NOW, random });
    expect(await store.read.partners.list()).toEqual([]);
    await store.close();
  });
});

// Rule: restore-schema
describe("a restore refuses a database", () => {
  test("without a table", () => expectRefused("photos.id", "DROP TABLE photos"));

  test("without a column", () =>
    expectRefused("partners.name", "ALTER TABLE partners RENAME COLUMN name TO called"));

  test("whose table is a view", () =>
    expectRefused(
      "saved_filters.",
      "DROP TABLE saved_filters",
      "CREATE VIEW saved_filters AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    ));

  test("whose photo would be a file outside of the uploads", () =>
    expectRefused("../../photo.jpg", "UPDATE photos SET filename = '../../photo.jpg'"));

  test("with rows that an index of its schema refuses", () =>
    expectRefused("the index units_list cannot be created in the database in", ...DUPLICATE_UNITS));

  test("with a table that has the name of an index of its schema", () =>
    expectRefused("the index units_list cannot", "DROP INDEX units_list", "CREATE TABLE units_list (id)"));

  test("without a record of migrations", () =>
    expectRefused("another program", "DROP TABLE schema_migrations"));

  test("whose definitions cannot be read", () =>
    expectRefused("malformed database schema", (bytes) => {
      bytes.write("CREATE TABLX", bytes.indexOf("CREATE TABLE photos"));
    }));
});

test.skipIf(!CAN_MOUNT)(
  "a restore that finds no space at any step says so, and leaves no files",
  async () => {
    const disk = diskOf(8);
    const { bavail, bsize } = statfsSync(disk.path);
    const ballast = join(disk.path, "ballast");
    const dataDir = join(disk.path, "data");
    const pages = Math.ceil(manifest.database_bytes / bsize);
    const outcomes: unknown[] = [];
    for (let spare = 1; spare < 20 && outcomes.at(-1) !== "restored"; spare++) {
      writeFileSync(ballast, Buffer.alloc((bavail - pages - spare) * bsize));
      const request = { file: backup, dataDir, passphrase: undefined, keyFile: undefined, env: {} };
      outcomes.push(await restoreBackup(request).then(() => "restored", String));
      if (outcomes.at(-1) !== "restored") expect(readdirSync(disk.path)).toEqual(["ballast"]);
    }
    expect(outcomes.pop()).toBe("restored");
    expect(outcomes).toEqual(outcomes.map(() => expect.stringContaining("the disk is full")));
    expect(outcomes.length).toBeGreaterThan(2);
  },
);

// Rule: restore-schema
describe("a backup of a changed database", () => {
  const backUp = async (...statements: string[]) => {
    const dataDir = mkdtempSync(join(folder, "changed"));
    const databaseFile = join(dataDir, "mainstay.db");
    copyFileSync(intact, databaseFile);
    change(databaseFile, ...statements);
    const file = join(dataDir, "changed.backup");
    const request = { passphrase: undefined, includeKey: false, productVersion: "0.1.0", now: NOW };
    const error = await createBackup({ ...request, file, dataDir, databaseFile }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { dataDir, file, error };
  };

  test.each([
    ["tables", "photos.id", ["DROP TABLE photos"]],
    ["rows", "UNIQUE constraint failed: units.property_id, units.number", DUPLICATE_UNITS],
  ])("is refused for %s that a restore would refuse: %s", async (_, text, statements) => {
    const { dataDir, error } = await backUp(...statements);
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toContain(text);
    expect(readdirSync(dataDir)).toEqual(["mainstay.db"]);
  });

  test("contains it unchanged, for a restore to repair", async () => {
    const { dataDir, file, error } = await backUp("DROP INDEX units_list");
    expect(error).toBeUndefined();
    const { repairs } = await restoreBackup({
      file,
      dataDir: join(dataDir, "restored"),
      passphrase: undefined,
      keyFile: join(original, "mainstay.key"),
      env: {},
    });
    expect(repairs).toEqual(["created the index units_list"]);
  });
});

// Rule: restore-members
test.each([
  "../planted",
  "uploads/../../planted",
  join(tmpdir(), "planted"),
  "uploads/..",
  "uploads/.hidden",
  "uploads\\planted",
  "mainstay.db-wal",
  `uploads/${PHOTO}`,
])("a restore refuses a backup with the further member %s, and writes nothing", async (name) => {
  const [, ...rest] = await membersOf(backup);
  const uploads = { uploads: manifest.uploads + 1, uploads_bytes: manifest.uploads_bytes + 5 };
  const first = memberOf("manifest.json", Buffer.from(JSON.stringify({ ...manifest, ...uploads })));
  const place = join(folder, `${++made}`);
  mkdirSync(place);
  const file = join(place, "x.backup");
  const members = [first, ...rest, memberOf(name, Buffer.from("photo"))];
  await writeBackupArchive(file, members, { lock: undefined, mtime: new Date(NOW) });
  const dataDir = join(place, "restored");
  const restored = restoreBackup({ file, dataDir, passphrase: undefined, keyFile: undefined, env: {} });
  await expect(restored).rejects.toThrow(`it has an unexpected member ${JSON.stringify(name)} of 5 bytes`);
  expect(readdirSync(place)).toEqual(["x.backup"]);
});

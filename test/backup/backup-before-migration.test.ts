import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backUpBeforeMigration } from "../../src/backup/backup-before-migration.ts";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.ts";
import { SQLITE_MIGRATIONS, type SqliteMigration } from "../../src/store/sqlite/sqlite-migrations.ts";

const NOW = Date.UTC(2026, 0, 31, 4, 30);
const later = (sql: string): SqliteMigration[] => [
  ...SQLITE_MIGRATIONS,
  { number: SQLITE_MIGRATIONS.length + 1, name: "later", sql },
];
const NEXT = later("ALTER TABLE partners ADD COLUMN motto TEXT");

let folder: string;
let file: string;
let backups: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-upgrade-"));
  file = join(folder, "mainstay.db");
  backups = join(folder, "backups");
  const { close } = openSqlite(file, { now: NOW, beforeUpgrade });
  const db = new Database(file);
  db.run(
    "INSERT INTO partners (id, name, enabled, daily_budget, credential_generation, created_at) VALUES ('PARTNER_1', 'Acme', 1, 1000, 1, 0)",
  );
  db.close();
  close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const beforeUpgrade = (db: Database) => void backUpBeforeMigration(db, backups, NOW);
const open = (migrations: readonly SqliteMigration[]) =>
  openSqlite(file, { now: NOW, migrations, beforeUpgrade });
const columns = (path: string) => {
  const db = new Database(path, { readonly: true });
  const names = db.query("SELECT name FROM pragma_table_info('partners')").values().flat();
  const partners = db.query("SELECT name FROM partners").values().flat();
  db.close();
  return { hasMotto: names.includes("motto"), partners };
};

describe("an upgrade", () => {
  // Rule: migrations
  test("copies the database before migrating it", () => {
    const opened = open(NEXT);
    expect(opened.applied.map(({ name }) => name)).toEqual(["later"]);
    opened.close();
    expect(columns(file)).toEqual({ hasMotto: true, partners: ["Acme"] });
    const copy = `before-upgrade-${SQLITE_MIGRATIONS.length}-20260131T043000000Z.db`;
    expect(readdirSync(backups)).toEqual([copy]);
    expect(columns(join(backups, copy))).toEqual({ hasMotto: false, partners: ["Acme"] });
  });

  test("does not write its copy through a planted link", () => {
    mkdirSync(backups);
    const copy = `before-upgrade-${SQLITE_MIGRATIONS.length}-20260131T043000000Z.db`;
    const target = join(folder, "elsewhere");
    symlinkSync(target, join(backups, `.${copy}.partial`));
    open(NEXT).close();
    expect(existsSync(target)).toBe(false);
    expect(columns(join(backups, copy))).toEqual({ hasMotto: false, partners: ["Acme"] });
  });

  test("can be undone by restoring the copy", () => {
    open(NEXT).close();
    expect(() => open(SQLITE_MIGRATIONS)).toThrow("newer version");
    rmSync(file);
    const db = new Database(join(backups, readdirSync(backups)[0]!));
    db.run("VACUUM INTO ?", [file]);
    db.close();
    open(SQLITE_MIGRATIONS).close();
    expect(columns(file)).toEqual({ hasMotto: false, partners: ["Acme"] });
  });

  test("does not run if the copy fails", () => {
    writeFileSync(backups, "a file where the folder should be");
    expect(() => open(NEXT)).toThrow("cannot back up the database before its upgrade");
    expect(columns(file)).toEqual({ hasMotto: false, partners: ["Acme"] });
  });

  test("that fails does not change the database", () => {
    expect(() => open(later("ALTER TABLE partners ADD COLUMN motto TEXT; SELECT * FROM absent;"))).toThrow();
    expect(columns(file)).toEqual({ hasMotto: false, partners: ["Acme"] });
  });

  test("makes no copy of an up-to-date or new database", () => {
    open(SQLITE_MIGRATIONS).close();
    expect(readdirSync(folder)).not.toContain("backups");
  });
});

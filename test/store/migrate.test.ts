import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { applySqliteMigrations } from "../../src/store/sqlite/migrate-sqlite.ts";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.ts";
import { SQLITE_MIGRATIONS, type SqliteMigration } from "../../src/store/sqlite/sqlite-migrations.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-migrate-"));
afterAll(() => rmSync(folder, { recursive: true }));
let file: string;
let files = 0;
beforeEach(() => {
  file = join(folder, `${++files}.db`);
});

const FIRST: SqliteMigration = {
  number: 1,
  name: "houses",
  sql: `CREATE TABLE houses (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE rooms (id INTEGER PRIMARY KEY, house INTEGER REFERENCES houses (id) ON DELETE CASCADE) STRICT;`,
};
const SECOND: SqliteMigration = {
  number: 2,
  name: "doors",
  sql: "CREATE TABLE doors (id INTEGER PRIMARY KEY) STRICT;",
};
/** Recreates a table under its name, as a change of a column's type must. */
const REBUILD: SqliteMigration = {
  number: 2,
  name: "rebuild houses",
  sql: `CREATE TABLE new_houses (id INTEGER PRIMARY KEY, name TEXT) STRICT;
        INSERT INTO new_houses (id) SELECT id FROM houses;
        DROP TABLE houses;
        ALTER TABLE new_houses RENAME TO houses;`,
};

/** Opens the file with these migrations; returns the names of the applied ones. */
function open(migrations: readonly SqliteMigration[], now = 0): string[] {
  const sqlite = openSqlite(file, { now, migrations });
  sqlite.close();
  return sqlite.applied.map(({ name }) => name);
}
function rows<T>(sql: string): T[] {
  const db = new Database(file, { readonly: true });
  const found = db.query(sql).all() as T[];
  db.close();
  return found;
}
function run(sql: string): void {
  const db = new Database(file);
  db.run(sql);
  db.close();
}
const tables = () =>
  rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map(
    ({ name }) => name,
  );

describe("opening a database", () => {
  // Rule: migrations
  test("applies the migrations in order, and records each with its time", () => {
    expect(open([FIRST], 1000)).toEqual(["houses"]);
    expect(open([FIRST, SECOND], 2000)).toEqual(["doors"]);
    expect(open([FIRST, SECOND], 3000)).toEqual([]);
    expect(rows("SELECT number, name, applied_at FROM schema_migrations")).toEqual([
      { number: 1, name: "houses", applied_at: 1000 },
      { number: 2, name: "doors", applied_at: 2000 },
    ]);
  });

  test("rebuilds a table without emptying the tables that reference it", () => {
    open([FIRST]);
    run("INSERT INTO houses VALUES (1), (2); INSERT INTO rooms VALUES (1, 1), (2, 2)");
    open([FIRST, REBUILD]);
    expect(rows("SELECT house FROM rooms")).toEqual([{ house: 1 }, { house: 2 }]);
  });

  test("backs up a database with data first, but not a new one", () => {
    const seen: string[][] = [];
    const beforeUpgrade = (_: Database, pending: readonly SqliteMigration[]) =>
      void seen.push(pending.map(({ name }) => name));
    openSqlite(file, { now: 0, migrations: [FIRST], beforeUpgrade }).close();
    openSqlite(file, { now: 0, migrations: [FIRST, SECOND], beforeUpgrade }).close();
    expect(seen).toEqual([["doors"]]);
  });

  test("by several processes at once applies each migration once", async () => {
    const source = `import { openSqlite } from "${import.meta.dir}/../../src/store/sqlite/open-sqlite.ts";
      const sqlite = openSqlite(process.argv[2], { now: 0 });
      console.log(sqlite.applied.length);
      sqlite.close();`;
    const script = join(folder, "open.ts");
    await Bun.write(script, source);
    const openers = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, script, file], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const applied = await Promise.all(openers.map((opener) => new Response(opener.stdout).text()));
    expect(applied.reduce((sum, count) => sum + Number(count), 0)).toBe(SQLITE_MIGRATIONS.length);
  });
});

describe("a migration that fails", () => {
  // Rule: migrations
  test("leaves no changes, and keeps those of earlier migrations", () => {
    const broken = {
      number: 2,
      name: "broken",
      sql: "CREATE TABLE garages (id INTEGER); INSERT INTO nowhere VALUES (1);",
    };
    expect(() => open([FIRST, broken])).toThrow("nowhere");
    expect(tables()).toEqual(["houses", "rooms", "schema_migrations"]);
    expect(open([FIRST, SECOND])).toEqual(["doors"]);
  });

  test("by leaving rows with broken references is rejected and undone", () => {
    open([FIRST]);
    run("INSERT INTO houses VALUES (1); INSERT INTO rooms VALUES (1, 1)");
    const lenient = { number: 2, name: "careless", sql: "DELETE FROM houses;" };
    expect(() => open([FIRST, lenient])).toThrow("would leave 1 rows without the row that they refer to");
    expect(rows("SELECT id FROM houses")).toEqual([{ id: 1 }]);
  });

  test("on the first start leaves an empty database, which the next start migrates", () => {
    expect(() => open([{ number: 1, name: "broken", sql: "CREATE TABLE a (;" }])).toThrow();
    expect(tables()).toEqual([]);
    expect(open([FIRST])).toEqual(["houses"]);
  });
});

describe("a database that must not be migrated is rejected with no byte changed", () => {
  const expectRefused = (migrations: readonly SqliteMigration[], message: string) => {
    const before = readFileSync(file);
    expect(() => open(migrations)).toThrow(message);
    expect(readFileSync(file).equals(before)).toBe(true);
  };

  test("when a newer version wrote it", () => {
    open([FIRST, SECOND]);
    expectRefused(
      [FIRST],
      "was written by a newer version of Mainstay: it has migration 2 (doors), this version knows 1",
    );
  });

  test("when a migration's text was edited after it was applied", () => {
    open([FIRST]);
    const edited = { ...FIRST, sql: `${FIRST.sql} ` };
    expectRefused([edited, SECOND], "was created with a different text of migration 1 (houses)");
  });

  test("when its file has another name, by which another server could open it", () => {
    open([FIRST]);
    const link = `${file}-link`;
    linkSync(file, link);
    expectRefused([FIRST], `${file} has 2 names (hard links)`);
    rmSync(link);
    const target = file;
    file = link;
    symlinkSync(target, file);
    expectRefused([FIRST], `${file} is a symbolic link`);
  });

  test("unless the other name is left of a move or a restore that ended when the file had its name", () => {
    open([FIRST]);
    mkdirSync(join(folder, ".restoring"));
    for (const left of [join(folder, "mainstay.db.unfinished"), join(folder, ".restoring", basename(file))]) {
      linkSync(file, left);
      expect(open([FIRST])).toEqual([]);
      expect(existsSync(left)).toBe(false);
      writeFileSync(left, "another file");
      open([FIRST]);
      expect(existsSync(left)).toBe(true);
      rmSync(left);
    }
  });

  test("when another program created it", () => {
    run("CREATE TABLE songs (title TEXT)");
    expectRefused([FIRST], "is a SQLite database of another program");
  });

  test.each(["x", "no database, but long enough to hold a header of a hundred bytes ".repeat(4)])(
    "when it is not a database: %p",
    async (content) => {
      await Bun.write(file, content);
      expectRefused([FIRST], "is no SQLite database");
    },
  );
});

test("a migration that another process applied while this one waited is not applied again", () => {
  open([FIRST]);
  const db = new Database(file, { strict: true });
  expect(applySqliteMigrations(db, file, [FIRST], 0)).toEqual([]);
  db.close();
});

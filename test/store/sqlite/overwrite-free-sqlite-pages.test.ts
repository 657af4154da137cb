import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { overwriteFreeSqlitePages } from "../../../src/store/sqlite/overwrite-free-sqlite-pages.ts";

const CREATE_UPLOADS =
  "CREATE TABLE uploads (filename TEXT PRIMARY KEY, bytes BLOB NOT NULL, written_at INTEGER NOT NULL)";
const folder = mkdtempSync(join(tmpdir(), "mainstay-free-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("two purges at once overwrite all free pages, and end", async () => {
  const file = join(folder, "mainstay.db");
  const open = () => {
    const db = new Database(file);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA secure_delete = FAST");
    return db;
  };
  const [one, other] = [open(), open()];
  one.run(CREATE_UPLOADS);
  one.run("CREATE TABLE deleted (text TEXT)");
  const words = "1 Elm Street ";
  one.run("INSERT INTO deleted VALUES (?)", [words.repeat(1_000_000)]);
  one.run("DELETE FROM deleted");
  let writes = 0;
  let otherMayStart = () => {};
  const started = new Promise<void>((resolve) => {
    otherMayStart = resolve;
  });
  const overwrite = (db: Database) =>
    overwriteFreeSqlitePages(
      db,
      async (run) => {
        if (++writes === 3) otherMayStart();
        if (writes > 1_000) throw new Error("they never end");
        return db.transaction(run).immediate();
      },
      async () => await new Promise((resolve) => setImmediate(resolve)),
    );
  await Promise.all([overwrite(one), started.then(() => overwrite(other))]);
  expect(one.query("SELECT count(*) AS n FROM uploads").get()).toEqual({ n: 0 });
  one.run("PRAGMA wal_checkpoint(TRUNCATE)");
  for (const db of [one, other]) db.close();
  expect(readFileSync(file).includes(words)).toBe(false);
});

test("a purge whose write fails gives back the pages that it has taken", async () => {
  const db = new Database(join(folder, "failing.db"));
  db.run(CREATE_UPLOADS);
  db.run("CREATE TABLE deleted (text BLOB)");
  db.run("INSERT INTO deleted VALUES (zeroblob(10_000_000))");
  db.run("DELETE FROM deleted");
  let writes = 0;
  const overwriting = overwriteFreeSqlitePages(
    db,
    async (run) => {
      if (++writes === 3) throw new Error("locked");
      return run();
    },
    async () => {},
  );
  expect(await overwriting.catch(({ message }) => message)).toBe("locked");
  expect(db.query("SELECT count(*) AS n FROM uploads").get()).toEqual({ n: 0 });
  db.close();
});

test.each([1, 2, 10, 500, 501])("of %i pages with text of deleted rows, none has any left", async (pages) => {
  const file = join(folder, `single-${pages}.db`);
  const db = new Database(file);
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA secure_delete = FAST");
  db.run(CREATE_UPLOADS);
  db.run("CREATE TABLE deleted (text TEXT)");
  const words = "1 Elm Street ";
  for (const row of Array.from({ length: pages }, (_, nth) => nth))
    db.run("INSERT INTO deleted VALUES (?)", [`${row} ${words.repeat(300)}`]);
  db.run("DELETE FROM deleted");
  await overwriteFreeSqlitePages(
    db,
    async (run) => db.transaction(run).immediate(),
    async () => {},
  );
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  expect(readFileSync(file).includes("Elm")).toBe(false);
});

test("the file does not grow by purges, however others write meanwhile", async () => {
  const db = new Database(join(folder, "steady.db"));
  db.run("PRAGMA journal_mode = WAL");
  db.run(CREATE_UPLOADS);
  db.run("CREATE TABLE other (bytes BLOB)");
  db.run("INSERT INTO other VALUES (zeroblob(5_000_000))");
  const pages = () => db.query<{ page_count: number }, []>("PRAGMA page_count").get()!.page_count;
  const before = pages();
  for (let purge = 0; purge < 10; purge++) {
    db.run("DELETE FROM other");
    await overwriteFreeSqlitePages(
      db,
      async (run) => db.transaction(run).immediate(),
      async () => void db.run("INSERT INTO other VALUES (zeroblob(200_000))"),
    );
  }
  expect(pages()).toBe(before);
  db.close();
});

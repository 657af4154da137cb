import { Database } from "bun:sqlite";
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";

/* The write-ahead log is written into the database as it grows, and begins anew. */

const folder = mkdtempSync(join(tmpdir(), "mainstay-log-"));
const opened: Store[] = [];
let file: string;
let files = 0;
beforeEach(() => {
  file = join(folder, `${++files}.db`);
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

function open(): Store {
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const store = openSqliteStore(file, { clock: Date.now, random });
  opened.push(store);
  return store;
}
const DAY = "2026-01-01";

/** Writes all of the log into the database and lets it begin anew, unless something still reads what was before. */
function emptied(): boolean {
  const db = new Database(file);
  try {
    return db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()!.busy === 0;
  } finally {
    db.close();
  }
}

test("reads at one moment hold it up as long as they last, and no longer", async () => {
  const store = open();
  const write = () => store.write((tx) => tx.budgets.add("a", DAY, 1));
  await write();
  await store.atOneMoment(async (read) => {
    await read.budgets.taken("a", DAY);
    await write();
    expect(emptied()).toBe(false);
  });
  await write();
  expect(emptied()).toBe(true);
});

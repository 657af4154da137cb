import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";

/*
 * The write-ahead log is copied into the database as it grows, and restarts.
 */

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

function open(options: Partial<SqliteStoreOptions> = {}): Store {
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const store = openSqliteStore(file, { clock: Date.now, random, ...options });
  opened.push(store);
  return store;
}
const DAY = "2026-01-01";

/** Copies all of the log into the database and lets it restart, unless a reader still needs older pages. */
function checkpoint(): boolean {
  const db = new Database(file);
  try {
    return db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()!.busy === 0;
  } finally {
    db.close();
  }
}

test("a read snapshot delays it until the snapshot ends, and no longer", async () => {
  const store = open();
  const write = () => store.write((tx) => tx.budgets.add("a", DAY, 1));
  await write();
  await store.inReadSnapshot(async (read) => {
    await read.budgets.taken("a", DAY);
    await write();
    expect(checkpoint()).toBe(false);
  });
  await write();
  expect(checkpoint()).toBe(true);
});

describe("a long transaction in a process that serves others", () => {
  const MEGABYTE = 1_000_000;
  /** More than the limit of the log, and less than the pages that are kept in memory. */
  const MEGABYTES = 20;
  let now = 0;
  let bodies = 0;
  const serving = () => open({ isServing: true, monotonicMs: () => now });

  const addMegabyte = (tx: Tx) =>
    tx.idempotency.save({
      partnerId: "PARTNER_1",
      operation: "POST /v1/properties",
      key: `${++bodies}`,
      requestHash: "",
      statusCode: 201,
      body: "x".repeat(MEGABYTE),
      createdAt: 0,
    });
  const quick = async (tx: Tx) => {
    for (let n = 0; n < MEGABYTES; n++) await addMegabyte(tx);
  };
  const slow = async (tx: Tx) => {
    for (let n = 0; n < MEGABYTES; n++) {
      await addMegabyte(tx);
      now += 10;
      await tx.yieldToEventLoop();
    }
  };
  const logBytes = () => statSync(`${file}-wal`).size;

  /** Returns the number of pages of the log that are not in the database yet. */
  function pagesLeft(): number {
    const db = new Database(file);
    try {
      const pages = db.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()!;
      return pages.log - pages.checkpointed;
    } finally {
      db.close();
    }
  }
  /** Returns the number of pages that a write leaves at the moment of its commit. */
  async function leftBy(store: Store, run: (tx: Tx) => Promise<void>): Promise<number> {
    let left = 0;
    store.onGroup(() => {
      left = pagesLeft();
    });
    await store.write(run);
    store.onGroup(() => {});
    return left;
  }

  test("is written into the log while it runs", async () => {
    const store = serving();
    const before = logBytes();
    let during = 0;
    await store.write(async (tx) => {
      await slow(tx);
      during = logBytes();
    });
    expect(during - before).toBeGreaterThan((MEGABYTES / 4) * MEGABYTE);
  });

  test("leaves the log to another thread, which writes it into the database", async () => {
    const store = serving();
    // The other thread may finish before the pages are counted, if this one is paused meanwhile.
    await eventually(async () => expect(await leftBy(store, slow)).toBeGreaterThan(0));
    await eventually(() => expect(pagesLeft()).toBe(0));
  });

  test("has the log written as soon as no reader needs older pages, without another commit", async () => {
    const store = serving();
    await store.inReadSnapshot(async (read) => {
      await read.budgets.taken("a", DAY);
      await store.write(slow);
      expect(checkpoint()).toBe(false);
    });
    await eventually(() => expect(pagesLeft()).toBe(0));
  });

  test("does not block the next write, during which that thread finishes", async () => {
    const store = serving();
    await store.write(slow);
    await store.write(async (tx) => {
      await tx.budgets.add("a", DAY, 1);
      await eventually(() => expect(pagesLeft()).toBe(0));
      for (let attempt = 0; attempt < 10; attempt++) await Bun.sleep(1);
    });
    expect(await store.read.budgets.taken("a", DAY)).toBe(1);
  });

  test("lets the commits after it write the log into the database again, committed or not", async () => {
    const store = serving();
    const failing = store.write(async (tx) => {
      await slow(tx);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await eventually(async () => expect(await leftBy(store, quick)).toBe(0));
    await store.write(slow);
    await eventually(async () => expect(await leftBy(store, quick)).toBe(0));
  });

  test("is complete if the store is closed right after it", async () => {
    const store = serving();
    const first = bodies + 1;
    await store.write(slow);
    await opened.splice(opened.indexOf(store), 1)[0]!.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const again = open();
    for (let key = first; key <= bodies; key++) {
      const reply = await again.read.idempotency.find("PARTNER_1", "POST /v1/properties", `${key}`);
      expect(reply?.body.length).toBe(MEGABYTE);
    }
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { DistributedRateWindow } from "../../../src/cluster/distributed-rate-window.ts";
import { systemTimers } from "../../../src/event-loop/event-loop.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoredFeedCursors } from "../../../src/usecases/history/event-feed-cursors.ts";
import { eventually } from "../../support/eventually.ts";
import { rowsOf } from "../../support/postgres.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

/*
 * Checks that a kill of the database loses nothing that was acknowledged after a wait for its disk. What does not
 * wait for the disk is written ten seconds later here.
 */

const NOW = 1_700_000_000_000;
const LIMIT = 40;
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let server: PostgresServer;
let store: Store;
beforeAll(async () => {
  server = await PostgresServer.start({ settings: { wal_writer_delay: "10s" } });
  store = await openPostgresStore(server.url(), { clock: () => NOW, random });
}, 60_000);
afterAll(async () => {
  await store.close();
  await server.end();
});

async function killed(): Promise<void> {
  await server.stop("crash");
  await server.start();
  // Reads may be served while writes still wait for the next poll of the database.
  await eventually(async () => expect(await store.write((tx) => tx.partners.list())).toEqual([]));
}

test("a cursor of the event stream keeps its position, so that the next page omits nothing", async () => {
  const cursors = new StoredFeedCursors(store);
  const client = { partnerId: "PARTNER_1", client: "0 50" };
  const order = { latestSnapshotAt: null, settled: 0 };
  const pages = [{ offset: 50, after: undefined }];
  await cursors.begin(client, { entries: 60, shownUntil: NOW, order, pages }, NOW);
  await killed();
  const found = (await cursors.find(client, 50, NOW))!;
  expect(found.cursor.entries).toBe(60);
  found.cursor.pages = [{ offset: 100, after: undefined }];
  await cursors.save(found.cursor, NOW);
  await killed();
  expect((await cursors.find(client, 100, NOW))?.cursor.entries).toBe(60);
});

test("the calls of a minute are never admitted twice", async () => {
  const calls = async () => {
    const minute = new DistributedRateWindow(
      {
        store,
        monotonicMs: () => performance.now(),
        timers: systemTimers,
        newHolder: () => crypto.randomUUID(),
      },
      LIMIT,
      "durable",
    );
    let admitted = 0;
    while ((await minute.admit("PARTNER_1")) === undefined) admitted++;
    return admitted;
  };
  expect(await calls()).toBe(LIMIT);
  await killed();
  expect(await calls()).toBe(0);
});

/** A partner's revision on the server, and what this store says of it. */
async function revisionsOf(id: string) {
  const [row] = await rowsOf(server.url(), `SELECT revision::int FROM partners WHERE id = '${id}'`);
  return { stored: row!.revision as number, read: (await store.read.partners.revision(id))! };
}

// Rule: cache-failover
test("a revision is not given again after a crash, nor used after a restart or failover", async () => {
  const id = "PARTNER_9";
  const day = "2026-03-10";
  await store.write(async (tx) => {
    const partner = { id, name: "Acme", enabled: true, dailyBudget: 100, credentialGeneration: 1 };
    await tx.partners.insert({ ...partner, createdAt: NOW });
    await tx.budgets.add(id, day, 1);
  });
  const process = { durability: "process" } as const;
  const before = await revisionsOf(id);
  await store.write(async (tx) => tx.bumpRevision(id), process);
  await store.write((tx) => tx.partners.bumpAllRevisions(), process);
  const bumped = await revisionsOf(id);
  expect(bumped).toEqual({ stored: before.stored + 2, read: before.read + 2 });
  await server.stop("crash");
  await server.start();
  await eventually(async () => expect((await store.read.partners.list()).length).toBe(1));
  const after = await revisionsOf(id);
  expect(after.stored).toBe(bumped.stored);
  // A standby that takes over may count on from an older revision.
  expect(after.read).toBeGreaterThan(bumped.read + 1_000_000);
  expect((await store.read.partners.find(id))!.revision).toBe(after.read);
  expect((await store.read.partners.revisions()).get(id)).toBe(after.read);
  expect((await store.read.book.members())[0]!.revision).toBe(after.read);
  expect((await store.budgetReservations!.reserve(id, day, 7, 100))!.revision).toBe(after.read);
});

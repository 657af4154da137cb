import { afterAll, beforeAll, expect, test } from "bun:test";
import { DistributedRateWindow } from "../../../src/cluster/distributed-rate-window.ts";
import { systemTimers } from "../../../src/event-loop.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoredFeedCursors } from "../../../src/usecases/history/event-feed-cursors.ts";
import { eventually } from "../../support/eventually.ts";
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

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DistributedRateWindow } from "../../../src/cluster/distributed-rate-window.ts";
import { systemTimers } from "../../../src/event-loop/event-loop.ts";
import { SERVER_STATE } from "../../../src/store/postgres/connection/postgres-server-runs.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoredFeedCursors } from "../../../src/usecases/event-stream/find-event-feed-cursor.ts";
import { eventually } from "../../support/eventually.ts";
import { rowsOf } from "../../support/postgres.ts";
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { PostgresServer } from "../../support/postgres-server.ts";
import { revisionNumber } from "../../support/revision-number.ts";

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
});
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
  const next = { ...found.cursor, pages: [{ offset: 100, after: undefined }] };
  await cursors.advance(client, found.cursor, next, NOW, false);
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

const PARTNER = "PARTNER_9";
const DAY = "2026-03-10";
/** Sets the partner's daily budget, which tells its states apart. */
const setBudget = (of: Store, dailyBudget: number) =>
  of.write((tx) => tx.partners.update(PARTNER, { dailyBudget }), { durability: "process" });
const budgetOn = async (on: PostgresServer) =>
  (await rowsOf(on.url(), "SELECT daily_budget::int AS budget FROM partners"))[0]!.budget;

// Rule: cache-failover
test("a revision is not given again after a crash, nor used after a restart or failover", async () => {
  await store.write(async (tx) => {
    const partner = { id: PARTNER, name: "Acme", enabled: true, dailyBudget: 100, credentialGeneration: 1 };
    await tx.partners.insert({ ...partner, createdAt: NOW });
    await tx.budgets.add(PARTNER, DAY, 1);
  });
  const { partners } = store.read;
  const before = revisionNumber(await partners.revision(PARTNER));
  const process = { durability: "process" } as const;
  await store.write(async (tx) => tx.bumpRevision(PARTNER), process);
  await store.write((tx) => tx.partners.bumpAllRevisions(), process);
  const bumped = (await partners.revision(PARTNER))!;
  expect(revisionNumber(bumped)).toBe(before + 2);
  const bookBefore = await store.read.book.revision();
  await server.stop("crash");
  await server.start();
  const after = await eventually(async () => (await partners.revision(PARTNER))!);
  expect(revisionNumber(after)).toBe(before + 2);
  // A standby that takes over may count on from an older revision.
  expect(after).not.toBe(bumped);
  expect(await store.read.book.revision()).not.toBe(bookBefore);
  expect((await partners.find(PARTNER))!.revision).toBe(after);
  expect((await partners.revisions()).get(PARTNER)).toBe(after);
  expect((await store.read.book.members())[0]!.revision).toBe(after);
  const reserved = await eventually(
    async () => (await store.budgetReservations!.reserve(PARTNER, DAY, 7, 100))!,
  );
  expect(reserved.revision).toBe(after);
});

// Rule: cache-failover
test("a revision is not given again by a database that was restored on the same server", async () => {
  await rowsOf(server.url(), "CREATE DATABASE restored TEMPLATE template0");
  const restored = await openPostgresStore(server.url("restored"), { clock: () => NOW, random });
  const partner = { id: PARTNER, name: "Acme", enabled: true, dailyBudget: 100, credentialGeneration: 1 };
  await restored.write((tx) => tx.partners.insert({ ...partner, createdAt: NOW }));
  await rowsOf(
    server.url("restored"),
    `UPDATE partners SET revision = ${revisionNumber(await store.read.partners.revision(PARTNER))}`,
  );
  const [original, copy] = [
    await store.read.partners.revision(PARTNER),
    await restored.read.partners.revision(PARTNER),
  ];
  expect(revisionNumber(copy)).toBe(revisionNumber(original));
  expect(copy).not.toBe(original);
  await restored.close();
  await rowsOf(server.url(), "CREATE DATABASE cloned TEMPLATE restored");
  const cloned = await openPostgresStore(server.url("cloned"), { clock: () => NOW, random });
  const ofClone = await cloned.read.partners.revision(PARTNER);
  expect(revisionNumber(ofClone)).toBe(revisionNumber(copy));
  expect(ofClone).not.toBe(copy);
  await cloned.close();
  // A database that takes the name of another is polled as another server.
  const runOf = async (database?: string) =>
    (await rowsOf(server.url(database), `SELECT ${SERVER_STATE}`))[0]!.run;
  expect(await runOf("cloned")).not.toBe(await runOf("restored"));
  expect(await runOf("cloned")).toBe(await runOf("cloned"));
});

describe("a standby that takes over without the latest changes", () => {
  let promoted: PostgresServer;
  let proxy: PostgresProxy;
  /** Opened before the failover. */
  let running: Store;
  let lost: string;
  beforeAll(async () => {
    await server.stop();
    promoted = await PostgresServer.start({
      fill: async (target) => void spawnSync("cp", ["-a", join(server.folder, "data"), target]),
    });
    await server.start();
    proxy = await startPostgresProxy(server.port);
    const url = Object.assign(new URL(server.url()), { port: proxy.port }).href;
    running = await openPostgresStore(url, { clock: () => NOW, random });
    await setBudget(running, 1);
    lost = (await running.read.partners.revision(PARTNER))!;
  });
  afterAll(async () => {
    await running.close();
    await proxy.end();
    await promoted.end();
  });

  // Rule: cache-failover
  test("never gives a revision that another gave to data that is lost", async () => {
    const started = await openPostgresStore(promoted.url(), { clock: () => NOW, random });
    await setBudget(started, 2);
    const next = (await started.read.partners.revision(PARTNER))!;
    await started.close();
    expect(revisionNumber(next)).toBe(revisionNumber(lost));
    expect(next).not.toBe(lost);
  });

  // Rule: old-primary
  test("is used although the old primary still responds on open connections", async () => {
    expect((await running.read.partners.find(PARTNER))!.dailyBudget).toBe(1);
    proxy.state.target = promoted.port;
    await eventually(async () => expect((await running.read.partners.find(PARTNER))!.dailyBudget).toBe(2));
    await setBudget(running, 3);
    expect([await budgetOn(server), await budgetOn(promoted)]).toEqual([1, 3]);
  });

  // Rule: old-primary
  test("is not replaced by the old primary, which responds to reads as a standby", async () => {
    await server.stop();
    writeFileSync(join(server.folder, "data", "standby.signal"), "");
    await server.start();
    expect(await budgetOn(server)).toBe(1);
    const version = running.dataVersion();
    proxy.state.target = server.port;
    await promoted.stop();
    const answers: unknown[] = [];
    await eventually(async () => {
      answers.push(await running.read.partners.find(PARTNER).catch((error) => `${running.explain(error)}`));
      expect(answers.at(-1)).toContain("the database is read-only, or a standby");
    });
    expect(answers.filter((answer) => typeof answer !== "string")).toEqual([]);
    await promoted.start();
    proxy.state.target = promoted.port;
    await eventually(async () => expect((await running.read.partners.find(PARTNER))!.dailyBudget).toBe(3));
    // It may have lost what is kept in memory, although nobody else has written.
    await eventually(async () => expect(running.dataVersion()).toBeGreaterThan(version));
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { StorageError } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { eventually } from "../../support/eventually.ts";
import { rowsOf, usePostgres, withDefaultTimeout } from "../../support/postgres.ts";

const { newInstallation } = usePostgres();
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
/** The connections of the pool, the writers and the poller, as documented. */
const MOST_CONNECTIONS = 12 + 7;
let url: string;
let store: Store;
beforeAll(async () => {
  // Uses the same timeout as a server for a database that is unavailable.
  url = withDefaultTimeout(await newInstallation());
  store = await openPostgresStore(url, { clock: Date.now, random });
  await store.write((tx) =>
    tx.partners.insert({
      id: "PARTNER_1",
      name: "Acme",
      enabled: true,
      dailyBudget: 1,
      credentialGeneration: 1,
      createdAt: tx.now,
    }),
  );
  await rowsOf(url, "ALTER TABLE partners RENAME TO all_partners");
});
afterAll(() => store.close());

/** Makes reads of the partners fail as in a deadlock with a change of the table. */
const undoReads = (times: number) =>
  rowsOf(
    url,
    `DROP SEQUENCE IF EXISTS reads CASCADE;
     CREATE SEQUENCE reads;
     CREATE OR REPLACE FUNCTION undone() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
     BEGIN
       IF nextval('reads') <= ${times} THEN
         RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
       END IF;
       RETURN true;
     END $$;
     CREATE OR REPLACE VIEW partners AS SELECT * FROM all_partners WHERE undone()`,
  );

test("read snapshots use at most half of the pool, and leave the rest to single reads", async () => {
  let seen = 0;
  await Promise.all(
    Array.from({ length: 24 }, () =>
      store.inReadSnapshot(async (read) => {
        await read.clock.lastInstant();
        await store.read.clock.lastInstant();
        const open = await rowsOf(
          url,
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mainstay'",
        );
        seen = Math.max(seen, open.length);
      }),
    ),
  );
  expect(seen).toBeWithin(2, MOST_CONNECTIONS + 1);
});

test("a read snapshot that failed, or whose connection was lost, frees its place", async () => {
  const failed = Array.from({ length: 20 }, (_, nth) =>
    store.inReadSnapshot(async (read) => {
      await read.clock.lastInstant();
      if (nth % 2 === 0) throw new Error("no");
      await rowsOf(
        url,
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
      );
      await read.clock.lastInstant();
    }),
  );
  expect((await Promise.allSettled(failed)).filter(({ status }) => status === "rejected").length).toBe(20);
  expect(await store.inReadSnapshot((read) => read.clock.lastInstant())).toBe(
    await store.read.clock.lastInstant(),
  );
});

test("the loss of the polling connection alone refuses no request", async () => {
  let refused: unknown;
  const pulses = async (more = "") =>
    (
      await rowsOf(
        url,
        `SELECT pid ${more} FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FROM write_groups%' AND pid <> pg_backend_pid()`,
      )
    ).map(({ pid }) => pid);
  const [cut] = await eventually(async () => {
    const found = await pulses(", pg_terminate_backend(pid, 60000)");
    expect(found).toHaveLength(1);
    return found;
  });
  await eventually(async () => {
    for (let reads = 0; reads < 20; reads++)
      await store.read.clock.lastInstant().catch((error) => (refused = error));
    expect(await pulses()).not.toContain(cut);
    expect(await pulses()).toHaveLength(1);
  });
  expect(refused).toBeUndefined();
});

test("a read is repeated after a conflict with another transaction", async () => {
  await undoReads(3);
  expect((await store.read.partners.list()).map(({ id }) => id)).toEqual(["PARTNER_1"]);
});

test("a read with too many conflicts is refused as retryable", async () => {
  await undoReads(1_000_000);
  const failure = await store.read.partners.list().catch((error: unknown) => store.explain(error));
  expect(failure).toBeInstanceOf(StorageError);
  expect(String(failure)).toContain("conflicted with other transactions too often (deadlock detected)");
});

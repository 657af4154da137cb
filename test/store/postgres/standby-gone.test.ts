import { afterAll, beforeAll, expect, test } from "bun:test";
import type pg from "pg";
import { StorageError, UnknownOutcome } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { eventually } from "../../support/eventually.ts";
import { connectTo } from "../../support/postgres.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

/*
 * A primary without its synchronous standby answers reads, but no commit.
 */

const DAY = "2026-03-10";
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let server: PostgresServer;
let store: Store;
let administrator: pg.Client;
beforeAll(async () => {
  server = await PostgresServer.start();
  store = await openPostgresStore(server.url(), { clock: () => NOON, random });
  administrator = await connectTo(server.url());
});
afterAll(async () => {
  await administrator.end();
  await store.close();
  await server.end();
});

const add = (id: string) =>
  store.write(async (tx) => {
    await tx.partners.insert({
      id,
      name: "Acme",
      enabled: true,
      dailyBudget: 100,
      credentialGeneration: 1,
      createdAt: NOON,
    });
    await tx.budgets.add(id, DAY, 1);
  });
async function standby(name: string): Promise<void> {
  await administrator.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await administrator.query("SELECT pg_reload_conf()");
  // The configuration takes effect some time after the reload.
  await eventually(async () => expect(await commitWaits()).toBe(name !== ""));
}
async function commitWaits(): Promise<boolean> {
  const client = await connectTo(server.url());
  const { pid } = (await client.query("SELECT pg_backend_pid() AS pid")).rows[0];
  let isCommitted = false;
  const commit = client.query("SELECT pg_logical_emit_message(true, '', '')").then(() => {
    isCommitted = true;
  });
  await eventually(async () => {
    const waiting = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = ${pid} AND wait_event = 'SyncRep'`;
    expect(isCommitted || (await administrator.query(waiting)).rowCount === 1).toBeTrue();
  });
  const waits = !isCommitted;
  await commit;
  await client.end();
  return waits;
}
const refusal = (write: Promise<unknown>) => write.catch((error: unknown) => error);

test("writes that wait for a hanging commit are refused, and later writes succeed once it completes", async () => {
  await add("PARTNER_0");
  await standby("gone");
  // One write for each writer, and one waiting behind each.
  const writes = Array.from({ length: 4 }, (_, nth) => refusal(add(`PARTNER_1_${nth}`)));
  await eventually(async () => {
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'SyncRep'";
    expect((await administrator.query(waiting)).rowCount).toBe(4);
  });
  const behind = Array.from({ length: 4 }, (_, nth) => refusal(add(`PARTNER_2_${nth}`)));
  const block = store.budgetReservations!.reserve("PARTNER_0", DAY, 7, 100);
  // Writes behind the commit are not stored; those in it may be.
  for (const refused of await Promise.all(writes)) expect(refused).toBeInstanceOf(UnknownOutcome);
  for (const refused of await Promise.all(behind)) {
    expect(refused).toBeInstanceOf(StorageError);
    expect(refused).not.toBeInstanceOf(UnknownOutcome);
  }
  expect(await block).toBeUndefined();
  expect(await store.read.partners.list()).toHaveLength(1);
  await standby("");
  await eventually(async () => expect(await store.read.partners.list()).toHaveLength(5));
  await add("PARTNER_3");
  const ids = (await store.read.partners.list()).map(({ id }) => id);
  expect(ids.filter((id) => id.startsWith("PARTNER_2"))).toEqual([]);
});

test("a store closes once its callers are answered, although a commit hangs", async () => {
  const closing = await openPostgresStore(server.url(), { clock: () => NOON, random });
  await standby("gone");
  const write = refusal(closing.write((tx) => tx.budgets.add("PARTNER_0", DAY, 1)));
  await closing.close();
  expect(await Promise.race([write, "no answer"])).toBeInstanceOf(StorageError);
  await standby("");
});

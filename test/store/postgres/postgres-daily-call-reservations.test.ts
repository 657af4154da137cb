import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { DailyCallLimits } from "../../../src/http/request-daily-call-limits.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { connectTo, rowsOf, textsSent } from "../../support/postgres.ts";
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

const DAY = "2026-03-10";
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const CALLS = { sent: "mainstay_call_block", answered: "SELECT 1\0" };
let server: PostgresServer;
let wire: PostgresProxy;
let store: Store;
let made = 0;
beforeAll(async () => {
  server = await PostgresServer.start();
  wire = await startPostgresProxy(server.port);
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const url = Object.assign(new URL(server.url()), { port: wire.port }).href;
  store = await openPostgresStore(url, { clock: () => NOON, random });
});
afterAll(async () => {
  await store.close();
  await wire.end();
  await server.end();
});

/** Makes a partner with calls taken on the day. */
async function partner(taken: number, dailyBudget = 1000): Promise<string> {
  const id = `PARTNER_${made++}`;
  await store.write(async (tx) => {
    await tx.partners.insert({
      id,
      name: "Acme",
      enabled: true,
      dailyBudget,
      credentialGeneration: 1,
      createdAt: NOON,
    });
    if (taken > 0) await tx.budgets.add(id, DAY, taken);
  });
  return id;
}
const setAside = (id: string, calls: number, budget: number) =>
  store.budgetReservations!.reserve(id, DAY, calls, budget);
const stored = (id: string) => store.read.budgets.taken(id, DAY);

test("calls are reserved all or not at all, and the partner's revision is returned", async () => {
  const id = await partner(10);
  const revision = (await store.read.partners.revision(id))!;
  expect(await setAside(id, 7, 24)).toEqual({ revision, taken: 17 });
  expect(await setAside(id, 7, 24)).toEqual({ revision, taken: 24 });
  expect(await setAside(id, 1, 24)).toEqual({ revision, taken: undefined });
  expect(await stored(id)).toBe(24);
});

test("nothing is reserved on a day without a call yet, or for an unknown partner", async () => {
  expect((await setAside(await partner(0), 7, 100))?.taken).toBeUndefined();
  expect(await setAside("PARTNER_NONE", 7, 100)).toBeUndefined();
  expect(await stored("PARTNER_NONE")).toBe(0);
});

test("concurrent reservations never exceed the daily limit", async () => {
  const id = await partner(1);
  const blocks = await Promise.all(Array.from({ length: 60 }, () => setAside(id, 7, 100)));
  const granted = blocks.filter((block) => block?.taken !== undefined);
  expect(granted.length).toBeGreaterThan(0);
  expect(await stored(id)).toBe(1 + 7 * granted.length);
  expect(await stored(id)).toBeLessThanOrEqual(100);
});

test("a reservation does not wait for a locked count", async () => {
  const id = await partner(1);
  const holder = await connectTo(server.url());
  await holder.query("BEGIN");
  await holder.query("SELECT 1 FROM daily_budgets WHERE partner_id = $1 FOR UPDATE", [id]);
  expect((await setAside(id, 7, 100))?.taken).toBeUndefined();
  await holder.query("ROLLBACK");
  await holder.end();
  expect((await setAside(id, 7, 100))?.taken).toBe(8);
});

test("a reservation whose answer was lost is not made twice", async () => {
  const id = await partner(1);
  wire.state.cut = { ...CALLS, when: "after" };
  expect((await setAside(id, 7, 100))?.taken).toBe(8);
  expect(wire.state.cut).toBeUndefined();
  expect(await stored(id)).toBe(8);
});

test("a reservation that was lost before it arrived is not made later", async () => {
  const id = await partner(1);
  wire.state.cut = { ...CALLS, when: "late" };
  expect(await setAside(id, 7, 100)).toBeUndefined();
  await wire.state.arrive();
  expect(await stored(id)).toBe(1);
});

test("a writer whose row was deleted reserves nothing, and the next one does", async () => {
  const id = await partner(1);
  await rowsOf(server.url(), "DELETE FROM write_groups");
  expect((await setAside(id, 7, 100))?.taken).toBeUndefined();
  expect((await setAside(id, 7, 100))?.taken).toBe(8);
});

test("calls one after the other send only the statement that reads the revision", async () => {
  const id = await partner(0);
  const budgets = new DailyCallLimits(store, () => NOON);
  const whole = (await store.read.partners.find(id))!;
  const call = async () => {
    await budgets.revision(id);
    return (await budgets.take(whole)).allowed;
  };
  expect(await call()).toBe(true);
  await setAside(await partner(1), 7, 100);
  const query = spyOn(pg.Client.prototype, "query");
  for (let nth = 0; nth < 100; nth++) expect(await call()).toBe(true);
  const sent = textsSent(query);
  query.mockRestore();
  expect(sent).toHaveLength(100);
  expect(await stored(id)).toBeWithin(101, 101 + 11);
});

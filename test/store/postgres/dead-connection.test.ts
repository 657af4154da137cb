import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { StorageError } from "../../../src/domain/errors.ts";
import { parseAddress } from "../../../src/store/postgres/connection/address.ts";
import { Connections } from "../../../src/store/postgres/connection/connections.ts";
import { openReadSnapshot } from "../../../src/store/postgres/connection/read-snapshot.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { Store, Tx } from "../../../src/store/store.ts";
import { rowsOf } from "../../support/postgres.ts";
import { type Loss, type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

/*
 * One connection of many loses every packet, as where a firewall forgets it, and nobody closes it.
 */

const NOON = Date.parse("2026-03-10T12:00:00Z");
/** Longer than a connection may say nothing on which the database does nothing. */
const SLOW_S = 6;
const COMMIT = "COMMIT\0";
/** A read may take no longer, where it says so. */
const READ_MS = 300;
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let server: PostgresServer;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await PostgresServer.start();
  // It makes the schema.
  await open();
}, 60_000);
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await server.end();
});

/** A server's store, with a wire of its own. */
async function open(): Promise<{ store: Store; wire: PostgresProxy }> {
  const wire = await startPostgresProxy(server.port);
  const url = Object.assign(new URL(server.url()), { port: wire.port }).href;
  const store = await openPostgresStore(url, { clock: () => NOON, random });
  ends.push(async () => {
    await store.close();
    await wire.end();
  });
  return { store, wire };
}

let made = 0;
async function newPartner(store: Store): Promise<string> {
  const id = `PARTNER_${made++}`;
  const credentials = { enabled: true, dailyBudget: 1, credentialGeneration: 1 };
  // Not by the connection that writes for the partner.
  await store.write((tx) => tx.partners.insert({ id, name: "Acme", ...credentials, createdAt: NOON }), {
    priority: "background",
  });
  return id;
}
const newSubject = () => `SUBJECT_${made++}`;
/** A write that would show if it were made twice. */
const record = async (tx: Tx, subject: string) => {
  await tx.audit.record({ at: tx.now, actor: "cli:root", action: "partner.create", subject, detail: {} });
  // It takes an answer: what is lost, is lost before the commit is sent.
  await tx.partners.list();
};
const recorded = async (subject: string) =>
  (await rowsOf(server.url(), `SELECT 1 FROM audit_log WHERE subject = '${subject}'`)).length;

/** How often a write is run whose connection is lost there; on one that is new, and whose writer has no row, or not. */
const LOSSES: [sent: string, what: Loss["what"], runs: number, isNew: boolean][] = [
  ["BEGIN ISOLATION", "unheard", 1, true],
  ["BEGIN ISOLATION", "unheard", 1, false],
  ["mainstay_record_group", "unanswered", 1, true],
  ["mainstay_lock_partners", "unanswered", 1, false],
  ["audit_log", "unheard", 2, true],
  ["audit_log", "unanswered", 2, true],
  [COMMIT, "unheard", 2, true],
  [COMMIT, "unheard", 2, false],
  [COMMIT, "unanswered", 1, true],
  [COMMIT, "unanswered", 1, false],
];

test("a write whose connection alone falls silent is made once, and those behind it are made", async () => {
  const outcomes = LOSSES.map(async ([sent, what, , isNew]) => {
    const { store, wire } = await open();
    const partnerId = await newPartner(store);
    const [subject, behind] = [newSubject(), newSubject()];
    if (!isNew) await store.write((tx) => record(tx, newSubject()), { partnerId });
    let runs = 0;
    wire.state.loss = { sent, what };
    const write = store.write(
      async (tx) => {
        runs++;
        await record(tx, subject);
      },
      { partnerId },
    );
    while (wire.state.loss) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([write, store.write((tx) => record(tx, behind), { partnerId })]);
    expect([await recorded(subject), await recorded(behind)]).toEqual([1, 1]);
    return [sent, what, runs, isNew];
  });
  expect(await Promise.all(outcomes)).toEqual(LOSSES);
}, 60_000);

test("a connection that falls silent while it is looked for a lost commit holds up no later write", async () => {
  const { store, wire } = await open();
  const partnerId = await newPartner(store);
  const [subject, behind] = [newSubject(), newSubject()];
  wire.state.cut = { sent: COMMIT, answered: COMMIT, when: "before" };
  wire.state.loss = { sent: "RETURNING number", what: "unanswered" };
  const write = store.write((tx) => record(tx, subject), { partnerId });
  await expect(write).rejects.toBeInstanceOf(StorageError);
  expect(wire.state.loss).toBeUndefined();
  await store.write((tx) => record(tx, behind), { partnerId });
  expect([await recorded(subject), await recorded(behind)]).toEqual([0, 1]);
}, 60_000);

test("a connection whose statement takes its time is not given up", async () => {
  const { store } = await open();
  const partnerId = await newPartner(store);
  const subject = newSubject();
  await rowsOf(
    server.url(),
    `CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${SLOW_S}); RETURN NEW; END $$;
     CREATE TRIGGER slow BEFORE INSERT ON audit_log FOR EACH ROW WHEN (NEW.subject = '${subject}') EXECUTE FUNCTION take_time()`,
  );
  const query = spyOn(pg.Client.prototype, "query");
  let runs = 0;
  await store.write(
    async (tx) => {
      runs++;
      await record(tx, subject);
    },
    { partnerId },
  );
  const texts = query.mock.calls.map(([sent]) => (sent as { text?: string }).text ?? String(sent));
  query.mockRestore();
  // It was asked whether the database does something for it.
  expect(texts).toContain("ROLLBACK");
  expect(runs).toBe(1);
  expect(await recorded(subject)).toBe(1);
}, 60_000);

test("a moment whose connection falls silent waits for it once, and its place goes to the next one", async () => {
  const wire = await startPostgresProxy(server.port);
  const url = Object.assign(new URL(server.url()), { port: wire.port, search: "?pool=1" }).href;
  const connections = new Connections(parseAddress(url), READ_MS);
  const select = (text: string) => ({ text: `SELECT '${text}' AS found`, values: [] });
  const moment = await openReadSnapshot(connections);
  wire.state.loss = { sent: "lost", what: "unanswered" };
  await expect(moment.runner.read(select("lost"))).rejects.toThrow("Query read timeout");
  const query = spyOn(pg.Client.prototype, "query");
  await moment.close();
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
  const next = await openReadSnapshot(connections);
  expect((await next.runner.read(select("there"))).rows).toEqual([{ found: "there" }]);
  await next.close();
  await connections.close();
  await wire.end();
});

import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { StorageError } from "../../../src/domain/errors.ts";
import { parsePostgresUrl } from "../../../src/store/postgres/connection/postgres-address.ts";
import { PostgresConnections } from "../../../src/store/postgres/connection/postgres-connections.ts";
import { openPostgresReadSnapshot } from "../../../src/store/postgres/connection/postgres-read-snapshot.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store, Tx } from "../../../src/store/store.ts";
import { rowsOf, textsSent } from "../../support/postgres.ts";
import { type Loss, type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

/*
 * One of several connections loses all packets, as when a firewall forgets it, and neither end closes it.
 */

const NOON = Date.parse("2026-03-10T12:00:00Z");
/** Longer than the watchdog allows a connection to be silent while the database does nothing for it. */
const SLOW_S = 6;
const COMMIT = "COMMIT\0";
/**
 * The timeout of connections. PostgreSQL counts as unavailable when a poll has no answer within three quarters of it, as on a
 * machine without processor time. It must be over when a silent connection is dropped, after 4 seconds.
 */
const CONNECT_S = 4;
/** The timeouts of reads: long enough for an answer on a machine without processor time. */
const READS = { readMs: 4_000, repeatMs: 2_000 };
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let server: PostgresServer;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await PostgresServer.start();
  // Creates the schema.
  await open();
});
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await server.end();
});

/** Opens a store with its own connection proxy. */
async function open(): Promise<{ store: Store; wire: PostgresProxy }> {
  const wire = await startPostgresProxy(server.port);
  const url = Object.assign(new URL(server.url()), {
    port: wire.port,
    search: `connect_timeout=${CONNECT_S}`,
  });
  const store = await openPostgresStore(url.href, { clock: () => NOON, random, readTimeouts: READS });
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
  // Uses another connection than the partner's writes.
  await store.write((tx) => tx.partners.insert({ id, name: "Acme", ...credentials, createdAt: NOON }), {
    priority: "background",
  });
  return id;
}
const newSubject = () => `SUBJECT_${made++}`;
/** A write that leaves two rows if it is committed twice. */
const record = async (tx: Tx, subject: string) => {
  await tx.audit.record({ at: tx.now, actor: "cli:root", action: "partner.create", subject, detail: {} });
  // Waits for an answer, so that a lost statement is detected before the commit.
  await tx.partners.list();
};
const recorded = async (subject: string) =>
  (await rowsOf(server.url(), `SELECT 1 FROM audit_log WHERE subject = '${subject}'`)).length;

/**
 * The number of times that a write runs if its connection is lost at the statement, on a new connection (without a
 * writer's row) or not.
 */
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

test("a write whose connection loses its packets is committed once, and so are the writes behind it", async () => {
  // One after another: on a busy machine, the connections of ten would not be open within their timeout.
  const opened: (Awaited<ReturnType<typeof open>> & { partnerId: string })[] = [];
  for (const _ of LOSSES) {
    const one = await open();
    opened.push({ ...one, partnerId: await newPartner(one.store) });
  }
  const outcomes = LOSSES.map(async ([sent, what, , isNew], nth) => {
    const { store, wire, partnerId } = opened[nth]!;
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
    while (wire.state.loss) await Bun.sleep(1);
    await Promise.all([write, store.write((tx) => record(tx, behind), { partnerId })]);
    expect([await recorded(subject), await recorded(behind)]).toEqual([1, 1]);
    return [sent, what, runs, isNew];
  });
  expect(await Promise.all(outcomes)).toEqual(LOSSES);
});

test("a connection that loses its packets during the check of a lost commit does not block later writes", async () => {
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
});

test("a connection with a slow statement is not dropped", async () => {
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
  const texts = textsSent(query);
  query.mockRestore();
  // The watchdog has checked for a transaction.
  expect(texts).toContain("ROLLBACK");
  expect(runs).toBe(1);
  expect(await recorded(subject)).toBe(1);
});

test("a read snapshot whose connection loses its packets waits once, and its place in the pool becomes free", async () => {
  const wire = await startPostgresProxy(server.port);
  const url = Object.assign(new URL(server.url()), { port: wire.port, search: "?pool=1" }).href;
  const connections = new PostgresConnections(parsePostgresUrl(url), READS);
  const select = (text: string) => ({ text: `SELECT '${text}' AS found`, values: [] });
  const snapshot = await openPostgresReadSnapshot(connections);
  wire.state.loss = { sent: "lost", what: "unanswered" };
  await expect(snapshot.runner.read(select("lost"))).rejects.toThrow("Query read timeout");
  const query = spyOn(pg.Client.prototype, "query");
  await snapshot.close();
  expect(textsSent(query)).toEqual([]);
  query.mockRestore();
  const next = await openPostgresReadSnapshot(connections);
  expect((await next.runner.read(select("there"))).rows).toEqual([{ found: "there" }]);
  await next.close();
  await connections.close();
  await wire.end();
});

test("a read whose connection loses its packets is repeated on another one, and is refused if that does, too", async () => {
  const { store, wire } = await open();
  const id = newSubject();
  const read = () => store.read.partners.find(id);
  wire.state.loss = { sent: id, what: "unheard" };
  expect(await read()).toBeUndefined();
  expect(wire.state.loss).toBeUndefined();

  wire.state.loss = { sent: "REPEATABLE READ", what: "unanswered" };
  expect(await store.inReadSnapshot((read) => read.clock.lastInstant())).toBeNumber();
  expect(wire.state.loss).toBeUndefined();

  const failure = await whileLosing(wire, id, read());
  expect(failure.map((error) => store.explain(error))).toEqual([expect.any(StorageError)]);
});

test("a write is refused, without effect, if all connections stop answering, and so is one behind it", async () => {
  const { store, wire } = await open();
  const partnerId = await newPartner(store);
  const [first, behind] = [newSubject(), newSubject()];
  const runs = new Map<string, number>();
  const write = (subject: string) =>
    store.write(
      (tx) => {
        runs.set(subject, (runs.get(subject) ?? 0) + 1);
        return record(tx, subject);
      },
      { partnerId },
    );
  wire.state.loss = { sent: "audit_log", what: "unheard" };
  const writes = [write(first)];
  while (wire.state.loss) await Bun.sleep(1);
  writes.push(write(behind));
  const failures = await whileLosing(wire, "audit_log", ...writes);
  // It is repeated on a second connection, and refused when that one stops answering, too.
  expect(runs).toEqual(new Map([[first, 2]]));
  expect(failures).toEqual([expect.any(StorageError), expect.any(StorageError)]);
  await store.write((tx) => record(tx, newSubject()), { partnerId });
  expect([await recorded(first), await recorded(behind)]).toEqual([0, 0]);
});

/** Loses each connection on which a statement is sent, until all of the work has ended; returns the failures. */
async function whileLosing(
  wire: PostgresProxy,
  sent: string,
  ...work: Promise<unknown>[]
): Promise<unknown[]> {
  let isEnded = false;
  const results = Promise.allSettled(work).finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    wire.state.loss ??= { sent, what: "unheard" };
    await Bun.sleep(1);
  }
  wire.state.loss = undefined;
  return (await results).flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

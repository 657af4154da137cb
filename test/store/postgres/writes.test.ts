import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { Socket } from "node:net";
import pg from "pg";
import { StorageError, UnknownOutcome } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgresBeginStatement } from "../../../src/store/postgres/writer/postgres-transaction-statements.ts";
import type { Store, Tx } from "../../../src/store/store.ts";
import { eventually } from "../../support/eventually.ts";
import { rowsOf, textsSent } from "../../support/postgres.ts";
import { type Cut, type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const COMMIT = { sent: "COMMIT\0", answered: "COMMIT\0" };
/** Ready for a query, outside a transaction. */
const IDLE = "Z\0\0\0\u0005I";
/** The error with which PostgreSQL crashes when it cannot write its log. The name of its severity is translated. */
const PANIC = (() => {
  const fields = "SPANIK\0VPANIC\0C53100\0Mcould not write to file: No space left on device\0\0";
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length + length.length);
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]);
})();
/** Many times the default `connect_timeout`, and fewer than a wait that never ends. */
const ANSWERED_WITHIN_MS = 30_000;
let server: PostgresServer;
let wire: PostgresProxy;
let store: Store;
let now = 1_700_000_000_000;
const open = (url: string) => openPostgresStore(url, { clock: () => now, random });
beforeAll(async () => {
  server = await PostgresServer.start();
  wire = await startPostgresProxy(server.port);
  store = await open(Object.assign(new URL(server.url()), { port: wire.port }).href);
});
afterAll(async () => {
  await store.close();
  await wire.end();
  await server.end();
});

let made = 0;
const newPartner = () => `PARTNER_${String(made++).padStart(6, "0")}`;
const insert = (tx: Tx, id: string) =>
  tx.partners.insert({
    id,
    name: "Acme",
    enabled: true,
    dailyBudget: 1,
    credentialGeneration: 1,
    createdAt: tx.now,
  });
const add = (id: string, then: (tx: Tx) => Promise<void> = async () => {}) =>
  store.write(async (tx) => {
    await insert(tx, id);
    await then(tx);
    return id;
  });
const isThere = async (id: string) => (await store.read.partners.find(id)) !== undefined;

describe("writes that wait together", () => {
  test("are all committed, except those that throw or violate a constraint", async () => {
    const ids = Array.from({ length: 60 }, newPartner);
    const outcomes = await Promise.allSettled(
      ids.map((id, nth) =>
        add(id, async (tx) => {
          if (nth % 10 === 3) throw new Error("no");
          // Not awaited: the error appears with the next statement.
          if (nth % 10 === 7) await insert(tx, id);
        }),
      ),
    );
    expect(outcomes.flatMap(({ status }, nth) => (status === "rejected" ? [nth % 10] : []))).toEqual(
      Array.from({ length: 6 }, () => [3, 7]).flat(),
    );
    const found = new Set((await store.read.partners.list()).map(({ id }) => id));
    expect(ids.map((id) => found.has(id))).toEqual(ids.map((_, nth) => ![3, 7].includes(nth % 10)));
  });

  test("of one partner are batched: one statement for the rows of a table, and no savepoint", async () => {
    const id = await add(newPartner());
    const query = spyOn(pg.Client.prototype, "query");
    const log = (nth: number) =>
      store.write(
        async (tx) => {
          const rows = await tx.forPartner(id);
          const seq = rows.nextSeq("events");
          const createdAt = rows.nextInstant();
          await tx.eventLog.insert({
            partnerId: id,
            seq,
            createdAt,
            kind: "property",
            subjectId: `P_${nth}`,
          });
          await tx.totals.addToPartner(id, { events: 1 });
          if (nth === 5) throw new Error("no");
        },
        { partnerId: id },
      );
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, nth) => log(nth)));
    const texts = textsSent(query);
    query.mockRestore();
    expect(outcomes.flatMap(({ status }, nth) => (status === "rejected" ? [nth] : []))).toEqual([5]);
    // The write that threw had sent nothing, so that it is undone without the database.
    expect(texts.filter((text) => text.includes("SAVEPOINT"))).toEqual([]);
    expect(texts.filter((text) => text.includes('into "event_log"'))).toHaveLength(1);
    const logged = await store.read.eventLog.page(id, 1, 100);
    expect(logged.map(({ seq }) => seq)).toEqual(Array.from({ length: 39 }, (_, nth) => nth + 1));
    expect(logged.map(({ subjectId }) => subjectId)).not.toContain("P_5");
    expect((await store.read.totals.ofPartner(id)).events).toBe(39);
  });

  test("run again in savepoints when one fails after it has written", async () => {
    const id = await add(newPartner());
    const runs = new Map<number, number>();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, nth) =>
        store.write(
          async (tx) => {
            runs.set(nth, (runs.get(nth) ?? 0) + 1);
            await tx.totals.addToPartner(id, { events: 1 });
            // A read may depend on the write before it.
            const { events } = await tx.totals.ofPartner(id);
            if (nth === 4) throw new Error("no");
            return events;
          },
          { partnerId: id },
        ),
      ),
    );
    const seen = outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    expect(seen).toEqual([1, 2, 3, 4, undefined, 5, 6, 7, 8, 9]);
    expect((await store.read.totals.ofPartner(id)).events).toBe(9);
    expect([...runs.values()]).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 1, 1]);
  });

  test("see an endpoint that one of them has changed", async () => {
    const id = await add(newPartner());
    const seen = await Promise.all(
      [0, 1, 2, 3].map((nth) =>
        store.write(
          async (tx) => {
            const before = (await tx.partners.findEndpoint(id))?.url ?? null;
            const receiver = { partnerId: id, url: "https://a.example", secret: "s", events: null };
            if (nth === 1) await tx.partners.insertEndpoint(receiver);
            if (nth === 2) await tx.partners.updateEndpoint(id, { url: "https://b.example" });
            return [before, (await tx.partners.findEndpoint(id))?.url ?? null];
          },
          { partnerId: id },
        ),
      ),
    );
    const [a, b] = ["https://a.example", "https://b.example"];
    expect(seen).toEqual([
      [null, null],
      [null, a],
      [a, b],
      [b, b],
    ]);
  });

  test("are committed although the last one fails at the commit", async () => {
    const ids = Array.from({ length: 12 }, newPartner);
    // Fails as many writes as there are connections, so that the last write of each one fails.
    const outcomes = await Promise.allSettled(
      ids.map((id, nth) =>
        add(id, async (tx) => {
          if (nth >= 8) await insert(tx, id);
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(ids.map((_, nth) => nth < 8));
    expect(await Promise.all(ids.map(isThere))).toEqual(ids.map((_, nth) => nth < 8));
  });

  test("of one partner are numbered without gaps and dated in order, on any server", async () => {
    const id = await add(newPartner());
    const other = await open(server.url());
    const given: { number: number; at: number; delivery: string }[] = [];
    try {
      await Promise.all(
        Array.from({ length: 40 }, (_, nth) =>
          (nth % 2 === 0 ? store : other)
            .write(
              async (tx) => {
                const rows = await tx.forPartner(id);
                const number = rows.nextSeq("properties");
                await tx.totals.addToPartner(id, { properties: 1 });
                if (nth % 7 === 3) throw new Error("no");
                return { number, at: rows.nextInstant(), delivery: rows.newDeliveryId() };
              },
              { partnerId: id },
            )
            .then(
              (row) => void given.push(row),
              () => {},
            ),
        ),
      );
    } finally {
      await other.close();
    }
    given.sort((a, b) => a.number - b.number);
    expect(given.map(({ number }) => number)).toEqual(given.map((_, nth) => nth + 1));
    expect(given.length).toBe(34);
    for (const [nth, { at, delivery }] of given.entries()) {
      if (nth === 0) continue;
      expect(at).toBeGreaterThan(given[nth - 1]!.at);
      expect(delivery > given[nth - 1]!.delivery).toBe(true);
    }
  });

  test("get later instants than those of a server whose clock was ahead", async () => {
    const id = await add(newPartner());
    const next = () => store.write(async (tx) => (await tx.forPartner(id)).nextInstant(), { partnerId: id });
    now += 60_000;
    const ahead = await next();
    now -= 60_000;
    expect(await next()).toBe(ahead + 1);
  });
});

describe("a write is run again", () => {
  test("after its connection was terminated midway", async () => {
    const id = newPartner();
    let runs = 0;
    await add(id, async (tx) => {
      runs++;
      if (runs === 1) await terminate(tx);
    });
    expect(runs).toBe(2);
    expect(await isThere(id)).toBe(true);
  });

  test("after a deadlock with another", async () => {
    const [one, two] = [await add(newPartner()), await add(newPartner())];
    const other = await open(server.url());
    let runs = 0;
    let holding = 0;
    const bothHold = Promise.withResolvers<void>();
    // The writes lock the rows in opposite order, and neither declares its partners in advance.
    const both = (first: string, second: string) => async (tx: Tx) => {
      runs++;
      await tx.forPartner(first);
      if (++holding === 2) bothHold.resolve();
      await bothHold.promise;
      await tx.forPartner(second);
      await tx.totals.addToPartner(first, { properties: 1 });
    };
    await Promise.all([store.write(both(one, two)), other.write(both(two, one))]);
    await other.close();
    expect(runs).toBeGreaterThan(2);
    expect((await store.read.totals.ofPartner(one)).properties).toBe(1);
    expect((await store.read.totals.ofPartner(two)).properties).toBe(1);
  });

  test("after its connection was lost before the commit arrived", async () => {
    const id = newPartner();
    let runs = 0;
    wire.state.cut = { ...COMMIT, when: "before" };
    await add(id, async () => void runs++);
    expect(runs).toBe(2);
    expect(await isThere(id)).toBe(true);
  });

  test("but not when it was committed and only the answer was lost", async () => {
    const id = newPartner();
    let runs = 0;
    wire.state.cut = { ...COMMIT, when: "after" };
    await add(id, async () => void runs++);
    expect(runs).toBe(1);
    expect(await isThere(id)).toBe(true);
  });

  test("but not when PostgreSQL crashed on a full disk after it had stored the commit", async () => {
    const id = newPartner();
    let runs = 0;
    wire.state.cut = { ...COMMIT, when: "after", replacement: PANIC };
    await add(id, async () => void runs++);
    expect(runs).toBe(1);
    expect(await isThere(id)).toBe(true);
  });

  test("but not when PostgreSQL crashed on a full disk before it had stored the commit", async () => {
    const id = newPartner();
    let runs = 0;
    wire.state.cut = {
      sent: COMMIT.sent,
      instead: "ABORT \0",
      answered: "ROLLBACK\0",
      when: "after",
      replacement: PANIC,
    };
    const failed = add(id, async () => void runs++).catch((error: unknown) => store.explain(error));
    expect(((await failed) as StorageError).message).toEndWith("PostgreSQL is out of disk space");
    expect(runs).toBe(1);
    expect(await isThere(id)).toBe(false);
  });

  test("after more and more time while a full disk keeps the result of its commit from being looked up", async () => {
    const pauses = spyOn(Bun, "sleep").mockImplementation(async () => {});
    await rowsOf(
      server.url(),
      "CREATE SEQUENCE lookups; CREATE FUNCTION lacks_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
        "IF current_query() LIKE '%RETURNING number%' AND nextval('lookups') <= 6 THEN " +
        "RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$; " +
        "CREATE TRIGGER lacks_space BEFORE INSERT ON write_groups FOR EACH ROW EXECUTE FUNCTION lacks_space()",
    );
    try {
      const id = newPartner();
      let runs = 0;
      wire.state.cut = { ...COMMIT, when: "after" };
      await add(id, async () => void runs++);
      expect(runs).toBe(1);
      expect(await isThere(id)).toBe(true);
      expect(pauses.mock.calls.map(([ms]) => ms)).toEqual([10, 20, 40, 80, 160, 200]);
    } finally {
      pauses.mockRestore();
      await rowsOf(server.url(), "DROP FUNCTION lacks_space CASCADE; DROP SEQUENCE lookups");
    }
  });

  test("but not when the result of its commit can't be determined, and the next write succeeds", async () => {
    const cutAtCommit = async (when: Cut["when"]) => {
      wire.state.cut = { ...COMMIT, when };
      while (wire.state.cut) await new Promise((resolve) => setImmediate(resolve));
    };
    const id = newPartner();
    let runs = 0;
    const lost = add(id, async () => void runs++).catch((error: unknown) => error);
    await cutAtCommit("before");
    // The lookup of the lost commit is committed, but its response is lost.
    await cutAtCommit("after");
    wire.state.isSilent = true;
    expect(await lost).toBeInstanceOf(UnknownOutcome);
    wire.state.isSilent = false;
    await eventually(async () => expect(await isThere(id)).toBe(false));
    expect(runs).toBe(1);
    expect(await isThere(await add(newPartner()))).toBe(true);
  });

  test("once when its statements reach the database only after the check of its commit", async () => {
    const entry = { actor: "cli:root", action: "partner.create", subject: newPartner(), detail: {} } as const;
    let runs = 0;
    wire.state.cut = { sent: COMMIT.sent, answered: IDLE, when: "late", from: "BEGIN ISOLATION" };
    await store.write(async (tx) => {
      runs++;
      await tx.audit.record({ ...entry, at: tx.now });
    });
    expect(runs).toBe(2);
    await wire.state.arrive();
    const kept = await rowsOf(server.url(), `SELECT 1 FROM audit_log WHERE subject = '${entry.subject}'`);
    expect(kept).toHaveLength(1);
  });
});

/** Ends the connection that the write is on, as an administrator can. */
async function terminate(tx: Tx): Promise<void> {
  // Waits until PostgreSQL has processed what was sent before: it answers statements in order.
  await tx.partners.list();
  // Only this write holds rows, so only its connection is idle in a transaction. Waits until that connection is
  // gone.
  const ended = await rowsOf(
    server.url(),
    "SELECT pg_terminate_backend(pid, 60000) AS ended FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'",
  );
  expect(ended).toEqual([{ ended: true }]);
  await tx.partners.list();
}

test("idle connections are kept alive", async () => {
  const keepsAlive = spyOn(Socket.prototype, "setKeepAlive");
  const other = await open(server.url());
  await other.close();
  const delays = keepsAlive.mock.calls.map(([isKept, delayMs]) => [
    isKept,
    delayMs! > 0 && delayMs! <= 60_000,
  ]);
  keepsAlive.mockRestore();
  expect(delays.length).toBeGreaterThan(0);
  expect(delays).toEqual(delays.map(() => [true, true]));
});

describe("without the database", () => {
  const answers = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await expect(work()).rejects.toBeInstanceOf(StorageError);
    expect(performance.now() - startedAt).toBeLessThan(ANSWERED_WITHIN_MS);
  };
  const read = () =>
    store.read.partners.list().catch((error: unknown) => {
      throw store.explain(error);
    });
  const worksAgain = () =>
    eventually(async () => {
      const id = await add(newPartner());
      expect(await isThere(id)).toBe(true);
    });

  test("reads and writes are rejected, and work again once it is back", async () => {
    await server.stop("crash");
    await Promise.all([answers(read), answers(() => add(newPartner()))]);
    await answers(read);
    await server.start();
    await worksAgain();
  });

  test("reads and writes are rejected when it does not respond, although no connection was closed", async () => {
    await worksAgain();
    wire.state.isSilent = true;
    try {
      await Promise.all([answers(read), answers(() => add(newPartner()))]);
      await answers(() => add(newPartner()));
    } finally {
      wire.state.isSilent = false;
    }
    await worksAgain();
  });

  test.each([
    ["it accepts no logins", "ALLOW_CONNECTIONS false", "ALLOW_CONNECTIONS true"],
    ["a setting would store NULL as a text", "SET array_nulls = off", "RESET array_nulls"],
    ["a setting would round what is read", "SET extra_float_digits = 0", "RESET extra_float_digits"],
  ])("reads and writes are rejected while %s, and work again afterward", async (_, change, undo) => {
    await worksAgain();
    const administer = (sql: string) => rowsOf(server.url("template1"), `ALTER DATABASE postgres ${sql}`);
    await administer(change);
    await rowsOf(
      server.url("template1"),
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres'",
    );
    try {
      await Promise.all([answers(read), answers(() => add(newPartner()))]);
      await answers(read);
    } finally {
      await administer(undo);
    }
    await worksAgain();
  });

  test.each([
    ["off", "on"],
    ["local", "local"],
    ["remote_apply", "remote_apply"],
  ])(
    "a durable write begins with a commit that waits for the disk where the setting is %s",
    async (setting, inTransaction) => {
      const client = new pg.Client(server.url("postgres"));
      await client.connect();
      try {
        await client.query(`SET synchronous_commit = ${setting}`);
        await client.query(postgresBeginStatement(true, 1_000));
        const { rows } = await client.query("SHOW synchronous_commit");
        expect(rows).toEqual([{ synchronous_commit: inTransaction }]);
      } finally {
        await client.end();
      }
    },
  );

  test("a write does not wait for another that has locked other rows", async () => {
    const id = await add(newPartner());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holds = store.write(
      async (tx) => {
        await tx.forPartner(id);
        await held;
      },
      { partnerId: id, priority: "background" },
    );
    expect(await isThere(await add(newPartner()))).toBe(true);
    release();
    await holds;
  });
});

test("the error of a rejected value does not contain the value", async () => {
  const failure = await store
    .write((tx) => tx.budgets.add(newPartner(), "2026-01-01", "a secret" as never))
    .catch((error: unknown) => error);
  expect(String(failure)).toContain("a value was refused (SQLSTATE 22P02");
  expect(String(failure)).not.toContain("secret");
});

test("a search for a text with a NUL, which no row can have, finds nothing", async () => {
  expect(await isThere("PARTNER_\0")).toBe(false);
  expect(await store.read.appliances.list(["A_\0"])).toEqual([]);
});

test("statistics are updated after an import, with a timeout", async () => {
  const query = spyOn(pg.Client.prototype, "query");
  await store.analyze();
  const sent = query.mock.calls.map(([one]) => one as { text?: string; query_timeout?: number });
  query.mockRestore();
  // Longer than PostgreSQL may take for it.
  expect(sent.find(({ text }) => text?.includes("ANALYZE"))?.query_timeout).toBeWithin(60_001, 120_000);
  const analyzed = "SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL";
  await eventually(async () => {
    const names = (await rowsOf(server.url(), analyzed)).map(({ relname }) => relname);
    expect(names).toEqual(expect.arrayContaining(["properties", "appliances", "components"]));
  });
});

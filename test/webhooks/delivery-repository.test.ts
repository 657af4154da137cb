import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AttemptResult, PendingDelivery } from "../../src/webhooks/attempt.ts";
import { HEALTHY } from "../../src/webhooks/receiver-health.ts";
import { MAX_DELAY_MS } from "../../src/webhooks/retry-schedule.ts";
import { type PartnerWorld, usePartnerStore } from "../support/partner-store.ts";
import { databaseWorld, memoryWorld, type OutboxDeps } from "./delivery-repositories.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const openStore = usePartnerStore();
let empty: PartnerWorld;
beforeAll(async () => {
  empty = await openStore(NOW);
});
const inDatabase = async () => databaseWorld(await empty.copy());

type Outcome = Pick<AttemptResult, "outcome" | "nextAttemptAt"> & { isProbe?: boolean };
const DELIVERED: Outcome = { outcome: "delivered", nextAttemptAt: null };
const FAILED: Outcome = { outcome: "failed", nextAttemptAt: null };
const retryAt = (nextAttemptAt: number): Outcome => ({ outcome: "retry", nextAttemptAt });

let made = 0;
/** What came of an attempt of a delivery as it was fetched, each a moment after the one before. */
const resultOf = (job: PendingDelivery, outcome: Outcome): AttemptResult => ({
  ...{ deliveryId: job.id, partnerId: job.partnerId, attempt: job.attempts + 1, isProbe: false },
  ...{ startedAt: NOW + made++, durationMs: 7, statusCode: outcome.outcome === "delivered" ? 200 : 500 },
  ...{ error: "HTTP 500", address: "127.0.0.1", responseHead: "no" },
  ...outcome,
});

describe.each([
  ["in the database", inDatabase],
  ["in memory, which other tests take for it", memoryWorld],
])("the outbox %s", (_, open) => {
  let world: OutboxDeps;
  let partnerId: string;
  beforeEach(async () => {
    world = await open();
    partnerId = (await world.addPartner()).id;
  });
  const add = (orderKey: string | null = null, of = partnerId) => world.add(of, NOW, orderKey);
  const due = async (now = NOW, limit = 50, excluding: string[] = [], of = partnerId) =>
    (await world.outbox.due(of, now, limit, new Set(excluding))).map(({ id }) => id);
  const fetched = async (id: string, now = NOW) =>
    (await world.outbox.due(partnerId, now, 50, new Set())).find((job) => job.id === id)!;
  const record = (job: PendingDelivery, outcome: Outcome) => world.outbox.record([resultOf(job, outcome)]);

  describe("gives as due", () => {
    test("a partner's deliveries as they were made, in the order of their creation", async () => {
      const jobs = [await add("C_1"), await add(), await add("C_2")];
      const other = await world.addPartner();
      await add(null, other.id);
      expect(await world.outbox.due(partnerId, NOW, 50, new Set())).toEqual(jobs);
      expect((await world.outbox.duePartners(NOW)).toSorted()).toEqual([partnerId, other.id].toSorted());
    });

    test("no more than asked for, the oldest first, and none that is excluded", async () => {
      const ids = [(await add()).id, (await add()).id, (await add()).id, (await add()).id];
      expect(await due(NOW, 2)).toEqual(ids.slice(0, 2));
      expect(await due(NOW, 2, [ids[0]!, ids[2]!])).toEqual([ids[1]!, ids[3]!]);
    });

    test("what is planned for now or earlier, and nothing that is settled", async () => {
      const [retried, delivered, failed] = [await add(), await add(), await add()];
      await record(retried, retryAt(NOW + 5_000));
      await record(delivered, DELIVERED);
      await record(failed, FAILED);
      for (const now of [NOW, NOW + 4_999]) {
        expect(await due(now)).toEqual([]);
        expect(await world.outbox.duePartners(now)).toEqual([]);
      }
      for (const now of [NOW + 5_000, NOW + 100_000]) {
        expect(await due(now)).toEqual([retried.id]);
        expect(await world.outbox.duePartners(now)).toEqual([partnerId]);
      }
    });

    test("what seems planned beyond any plan: the clock must have been set back", async () => {
      const job = await add();
      await record(job, retryAt(NOW + MAX_DELAY_MS));
      expect(await due(NOW)).toEqual([]);
      expect(await due(NOW - 1)).toEqual([job.id]);
      expect(await world.outbox.duePartners(NOW - 1)).toEqual([partnerId]);
    });

    test("nothing behind an older one of its key that waits, excluded or not, and what is before it", async () => {
      const first = await add("C_1");
      const [waiting, behind] = [await add("C_1"), await add("C_1")];
      const other = await add("C_2");
      await record(waiting, retryAt(NOW + 5_000));
      expect(await due()).toEqual([first.id, other.id]);
      expect(await due(NOW, 50, [waiting.id])).toEqual([first.id, other.id]);
      expect(await due(NOW + 5_000)).toEqual([first.id, waiting.id, behind.id, other.id]);
      await record(await fetched(waiting.id, NOW + 5_000), FAILED);
      expect(await due()).toEqual([first.id, behind.id, other.id]);
    });

    test("what is behind one that the clock set back left beyond any plan", async () => {
      const [first, second] = [await add("C_1"), await add("C_1")];
      await record(first, retryAt(NOW + MAX_DELAY_MS + 1));
      expect(await due()).toEqual([first.id, second.id]);
    });
  });

  describe("plans", () => {
    test("the earliest attempt that is later than now, of whichever partner", async () => {
      const other = await world.addPartner();
      const [one, two] = [await add(), await add(null, other.id)];
      await add();
      expect(await world.outbox.nextDueAt(NOW)).toBeNull();
      await record(one, retryAt(NOW + 5_000));
      await record(two, retryAt(NOW + 4_000));
      expect(await world.outbox.nextDueAt(NOW)).toBe(NOW + 4_000);
      expect(await world.outbox.nextDueAt(NOW + 4_000)).toBe(NOW + 5_000);
      expect(await world.outbox.nextDueAt(NOW + 5_000)).toBeNull();
    });

    test("nothing for what is settled", async () => {
      const job = await add();
      await record(job, retryAt(NOW + 5_000));
      await record(await fetched(job.id, NOW + 5_000), DELIVERED);
      expect(await world.outbox.nextDueAt(NOW)).toBeNull();
    });
  });

  describe("records", () => {
    test("an attempt with all that it came to", async () => {
      const job = await add();
      const result = resultOf(job, retryAt(NOW + 5_000));
      await world.outbox.record([result]);
      const { startedAt, durationMs, statusCode, error, address, responseHead } = result;
      expect(await world.delivery(job.id)).toMatchObject({
        status: "pending",
        nextAttemptAt: NOW + 5_000,
        attempts: [{ startedAt, durationMs, statusCode, error, address, responseHead }],
      });
    });

    test.each([
      ["delivered", DELIVERED],
      ["failed", FAILED],
    ])("a %s one as settled, for good", async (status, outcome) => {
      const job = await add();
      await record(job, outcome);
      expect(await world.delivery(job.id)).toMatchObject({ status, nextAttemptAt: null });
      expect(await due(NOW + 1_000_000)).toEqual([]);
    });

    test("each failure as an attempt of the cycle, and those of probes as none", async () => {
      const { id } = await add();
      const attempts: number[] = [];
      for (const isProbe of [false, true, true, false, true]) {
        const job = await fetched(id);
        await record(job, { ...retryAt(NOW), isProbe });
        attempts.push((await fetched(id)).attempts);
      }
      expect(attempts).toEqual([1, 1, 1, 2, 2]);
      expect((await world.delivery(id)).attempts).toHaveLength(5);
    });

    test("a probe that arrived as delivered", async () => {
      const job = await add();
      await record(job, { ...DELIVERED, isProbe: true });
      expect(await world.delivery(job.id)).toMatchObject({ status: "delivered", nextAttemptAt: null });
    });

    test.each([
      ["one that arrived", DELIVERED],
      ["one to be tried again", retryAt(NOW + 5_000)],
      ["a probe", { ...retryAt(NOW + 5_000), isProbe: true }],
    ])(
      "once what is told twice, as when nobody could tell whether it was written: %s",
      async (_, outcome) => {
        const job = await add();
        const result = resultOf(job, outcome);
        await world.outbox.record([result]);
        const once = await world.delivery(job.id);
        await world.outbox.record([result]);
        expect(await world.delivery(job.id)).toEqual(once);
        expect(once.attempts).toHaveLength(1);
      },
    );

    test("many at once, and passes over one that was purged while it was under way", async () => {
      const jobs = [await add(), await add()];
      const purged = { ...jobs[0]!, id: "WH_1_aaaaa" };
      await world.outbox.record([jobs[0]!, purged, jobs[1]!].map((job) => resultOf(job, DELIVERED)));
      expect(await due()).toEqual([]);
      for (const { id } of jobs) expect((await world.delivery(id)).attempts).toHaveLength(1);
    });
  });

  describe("of a partner", () => {
    test("that is disabled keeps the deliveries, gives none, and gives them all when it is enabled", async () => {
      const { id, endpoint } = await world.addPartner();
      const [one, two] = [await add(null, id), await add(null, id)];
      await world.change(id, { enabled: false });
      expect(await world.outbox.duePartners(NOW)).toEqual([]);
      expect(await due(NOW, 50, [], id)).toEqual([]);
      expect(await world.outbox.endpoint(id)).toBeNull();
      await world.change(id, { enabled: true });
      expect(await world.outbox.duePartners(NOW)).toEqual([id]);
      expect(await due(NOW, 50, [], id)).toEqual([one.id, two.id]);
      const { revision } = await world.outbox.endpointState(id);
      expect(await world.outbox.endpoint(id)).toEqual({ ...endpoint, revision });
    });

    test("has its endpoint, and none without a receiver, whose deliveries are due all the same", async () => {
      const { id, endpoint } = await world.addPartner();
      expect(await world.outbox.endpoint(id)).toEqual({ ...endpoint, revision: 0 });
      const job = await add(null, id);
      await world.change(id, { url: null });
      expect(await world.outbox.endpoint(id)).toBeNull();
      expect(await world.outbox.duePartners(NOW)).toEqual([id]);
      expect(await due(NOW, 50, [], id)).toEqual([job.id]);
    });

    test("has the number under way that was set for it, and no other partner has", async () => {
      const other = await world.addPartner();
      expect((await world.outbox.endpointState(partnerId)).concurrency).toBeNull();
      await world.change(partnerId, { concurrency: 7 });
      expect((await world.outbox.endpointState(partnerId)).concurrency).toBe(7);
      expect((await world.outbox.endpointState(other.id)).concurrency).toBeNull();
    });

    test("has the receiver's health that was saved last, healthy before", async () => {
      const other = await world.addPartner();
      const healthOf = async (id: string) => (await world.outbox.endpointState(id)).health;
      expect(await healthOf(partnerId)).toEqual(HEALTHY);
      const bad = { failures: 21, failingSince: NOW - 9, pausedAt: NOW, lastError: "HTTP 500" };
      for (const health of [bad, { ...bad, failures: 22 }, HEALTHY]) {
        const { revision } = await world.outbox.endpointState(partnerId);
        await world.outbox.saveReceiverHealth(partnerId, health, revision, 0);
        expect(await healthOf(partnerId)).toEqual(health);
        expect(await healthOf(other.id)).toEqual(HEALTHY);
      }
    });

    test("keeps what an operator has set, whatever a probe finds that was under way", async () => {
      const { revision } = await world.outbox.endpointState(partnerId);
      await world.change(partnerId, { url: "http://hooks.test/" });
      const bad = { failures: 21, failingSince: NOW - 9, pausedAt: NOW, lastError: "HTTP 500" };
      await world.outbox.saveReceiverHealth(partnerId, bad, revision, 0);
      expect((await world.outbox.endpointState(partnerId)).health).toEqual(HEALTHY);
    });
  });
});

test("the outbox in memory does whatever the one in the database does", async () => {
  const delay = fc.constantFrom(0, 1_000, 5_000, MAX_DELAY_MS, MAX_DELAY_MS + 1_000);
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), partner: fc.nat(1), key: fc.constantFrom(null, "a", "b") }),
    fc.record({
      do: fc.constant("attempt" as const),
      partner: fc.nat(1),
      nth: fc.nat(3),
      outcome: fc.constantFrom("delivered" as const, "failed" as const, "retry" as const, "retry" as const),
      isProbe: fc.boolean(),
      delay,
    }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.oneof(delay, fc.constant(-MAX_DELAY_MS)) }),
    fc.record({ do: fc.constant("enable" as const), partner: fc.nat(1), enabled: fc.boolean() }),
  );
  const run = fc.asyncProperty(fc.array(step, { size: "max", maxLength: 40 }), async (steps) => {
    const worlds = [await inDatabase(), await memoryWorld()];
    const partners = await Promise.all(
      worlds.map(async (world) => [(await world.addPartner()).id, (await world.addPartner()).id]),
    );
    /** Each world's ids, in the order of creation, so that both can be told of the same. */
    const ids: string[][] = [[], []];
    let now = NOW;
    for (const one of steps) {
      if (one.do === "pass") now += one.ms;
      const seen = [];
      for (const [at, world] of worlds.entries()) {
        const [mine, known] = [partners[at]!, ids[at]!];
        const named = (id: string) => known.indexOf(id);
        if (one.do === "add") {
          const key = one.key && `${one.key}${one.partner}`;
          known.push((await world.add(mine[one.partner]!, now, key)).id);
        }
        if (one.do === "enable") await world.change(mine[one.partner]!, { enabled: one.enabled });
        if (one.do === "attempt") {
          const jobs = await world.outbox.due(mine[one.partner]!, now, 50, new Set());
          const job = jobs[one.nth % (jobs.length || 1)];
          const nextAttemptAt = one.outcome === "retry" ? now + one.delay : null;
          if (job) await world.outbox.record([resultOf(job, { ...one, nextAttemptAt })]);
        }
        const due = mine.map((id) => world.outbox.due(id, now, 3, new Set(known.slice(0, 1))));
        seen.push({
          partners: (await world.outbox.duePartners(now)).map((id) => mine.indexOf(id)).toSorted(),
          nextDueAt: await world.outbox.nextDueAt(now),
          due: (await Promise.all(due)).map((jobs) => jobs.map(({ id, attempts }) => [named(id), attempts])),
        });
      }
      expect(seen[1]).toEqual(seen[0]!);
    }
  });
  await fc.assert(run, { numRuns: 40 });
});

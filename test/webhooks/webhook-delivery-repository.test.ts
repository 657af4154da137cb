import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AttemptResult, PendingDelivery } from "../../src/webhooks/attempt-webhook-delivery.ts";
import { HEALTHY } from "../../src/webhooks/webhook-endpoint-health.ts";
import { MAX_DELAY_MS } from "../../src/webhooks/webhook-retry-schedule.ts";
import { type PartnerFixture, usePartnerStore } from "../support/partner-store.ts";
import { databaseFixture, memoryFixture, type RepositoryFixture } from "./delivery-repositories.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const openStore = usePartnerStore();
let empty: PartnerFixture;
beforeAll(async () => {
  empty = await openStore(NOW);
});
const inDatabase = async () => databaseFixture(await empty.copy());

type Outcome = Pick<AttemptResult, "outcome" | "nextAttemptAt"> & { isProbe?: boolean };
const DELIVERED: Outcome = { outcome: "delivered", nextAttemptAt: null };
const FAILED: Outcome = { outcome: "failed", nextAttemptAt: null };
const retryAt = (nextAttemptAt: number): Outcome => ({ outcome: "retry", nextAttemptAt });

let made = 0;
/** Returns the result of an attempt, each 1 ms later than the previous one. */
const resultOf = (job: PendingDelivery, outcome: Outcome): AttemptResult => ({
  deliveryId: job.id,
  partnerId: job.partnerId,
  attempt: job.attempts + 1,
  isProbe: false,
  startedAt: NOW + made++,
  durationMs: 7,
  statusCode: outcome.outcome === "delivered" ? 200 : 500,
  error: "HTTP 500",
  address: "127.0.0.1",
  responseHead: "no",
  ...outcome,
});

describe.each([
  ["in the database", inDatabase],
  ["in memory, which other tests use", memoryFixture],
])("the delivery repository %s", (_, open) => {
  let fixture: RepositoryFixture;
  let partnerId: string;
  beforeEach(async () => {
    fixture = await open();
    partnerId = (await fixture.addPartner()).id;
  });
  const add = (orderKey: string | null = null, of = partnerId) => fixture.add(of, NOW, orderKey);
  const due = async (now = NOW, limit = 50, excluding: string[] = [], of = partnerId) =>
    (await fixture.repository.due(of, now, limit, new Set(excluding))).map(({ id }) => id);
  const fetched = async (id: string, now = NOW) =>
    (await fixture.repository.due(partnerId, now, 50, new Set())).find((job) => job.id === id)!;
  const record = (job: PendingDelivery, outcome: Outcome) =>
    fixture.repository.record([resultOf(job, outcome)]);

  describe("returns as due", () => {
    test("the deliveries of a partner in creation order", async () => {
      const jobs = [await add("C_1"), await add(), await add("C_2")];
      const other = await fixture.addPartner();
      await add(null, other.id);
      expect(await fixture.repository.due(partnerId, NOW, 50, new Set())).toEqual(jobs);
      expect((await fixture.repository.duePartners(NOW)).toSorted()).toEqual(
        [partnerId, other.id].toSorted(),
      );
    });

    test("at most the limit, oldest first, without excluded ones", async () => {
      const ids = [(await add()).id, (await add()).id, (await add()).id, (await add()).id];
      expect(await due(NOW, 2)).toEqual(ids.slice(0, 2));
      expect(await due(NOW, 2, [ids[0]!, ids[2]!])).toEqual([ids[1]!, ids[3]!]);
    });

    test("pending deliveries scheduled for now or earlier", async () => {
      const [retried, delivered, failed] = [await add(), await add(), await add()];
      await record(retried, retryAt(NOW + 5_000));
      await record(delivered, DELIVERED);
      await record(failed, FAILED);
      for (const now of [NOW, NOW + 4_999]) {
        expect(await due(now)).toEqual([]);
        expect(await fixture.repository.duePartners(now)).toEqual([]);
      }
      for (const now of [NOW + 5_000, NOW + 100_000]) {
        expect(await due(now)).toEqual([retried.id]);
        expect(await fixture.repository.duePartners(now)).toEqual([partnerId]);
      }
    });

    test("a delivery scheduled too far ahead: the clock was set back", async () => {
      const job = await add();
      await record(job, retryAt(NOW + MAX_DELAY_MS));
      expect(await due(NOW)).toEqual([]);
      expect(await due(NOW - 1)).toEqual([job.id]);
      expect(await fixture.repository.duePartners(NOW - 1)).toEqual([partnerId]);
    });

    test("no delivery after a waiting one with the same key, excluded or not", async () => {
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

    test("a delivery after one that a clock set back left too far ahead", async () => {
      const [first, second] = [await add("C_1"), await add("C_1")];
      await record(first, retryAt(NOW + MAX_DELAY_MS + 1));
      expect(await due()).toEqual([first.id, second.id]);
    });
  });

  describe("schedules", () => {
    test("the earliest attempt after now, of any partner", async () => {
      const other = await fixture.addPartner();
      const [one, two] = [await add(), await add(null, other.id)];
      await add();
      expect(await fixture.repository.nextDueAt(NOW)).toBeNull();
      await record(one, retryAt(NOW + 5_000));
      await record(two, retryAt(NOW + 4_000));
      expect(await fixture.repository.nextDueAt(NOW)).toBe(NOW + 4_000);
      expect(await fixture.repository.nextDueAt(NOW + 4_000)).toBe(NOW + 5_000);
      expect(await fixture.repository.nextDueAt(NOW + 5_000)).toBeNull();
    });

    test("nothing for settled deliveries", async () => {
      const job = await add();
      await record(job, retryAt(NOW + 5_000));
      await record(await fetched(job.id, NOW + 5_000), DELIVERED);
      expect(await fixture.repository.nextDueAt(NOW)).toBeNull();
    });
  });

  describe("records", () => {
    test("an attempt with all of its results", async () => {
      const job = await add();
      const result = resultOf(job, retryAt(NOW + 5_000));
      await fixture.repository.record([result]);
      const { startedAt, durationMs, statusCode, error, address, responseHead } = result;
      expect(await fixture.delivery(job.id)).toMatchObject({
        status: "pending",
        nextAttemptAt: NOW + 5_000,
        attempts: [{ startedAt, durationMs, statusCode, error, address, responseHead }],
      });
    });

    test.each([
      ["delivered", DELIVERED],
      ["failed", FAILED],
    ])("a %s delivery as settled", async (status, outcome) => {
      const job = await add();
      await record(job, outcome);
      expect(await fixture.delivery(job.id)).toMatchObject({ status, nextAttemptAt: null });
      expect(await due(NOW + 1_000_000)).toEqual([]);
    });

    test("each failure as an attempt of the cycle, except those of probes", async () => {
      const { id } = await add();
      const attempts: number[] = [];
      for (const isProbe of [false, true, true, false, true]) {
        const job = await fetched(id);
        await record(job, { ...retryAt(NOW), isProbe });
        attempts.push((await fetched(id)).attempts);
      }
      expect(attempts).toEqual([1, 1, 1, 2, 2]);
      expect((await fixture.delivery(id)).attempts).toHaveLength(5);
    });

    test("a successful probe as delivered", async () => {
      const job = await add();
      await record(job, { ...DELIVERED, isProbe: true });
      expect(await fixture.delivery(job.id)).toMatchObject({ status: "delivered", nextAttemptAt: null });
    });

    test.each([
      ["one that arrived", DELIVERED],
      ["one to be tried again", retryAt(NOW + 5_000)],
      ["a probe", { ...retryAt(NOW + 5_000), isProbe: true }],
    ])("a repeated result once, as after an unclear commit: %s", async (_, outcome) => {
      const job = await add();
      const result = resultOf(job, outcome);
      await fixture.repository.record([result]);
      const once = await fixture.delivery(job.id);
      await fixture.repository.record([result]);
      expect(await fixture.delivery(job.id)).toEqual(once);
      expect(once.attempts).toHaveLength(1);
    });

    test("many at once, and skips one that was purged in the meantime", async () => {
      const jobs = [await add(), await add()];
      const purged = { ...jobs[0]!, id: "WH_1_aaaaa" };
      await fixture.repository.record([jobs[0]!, purged, jobs[1]!].map((job) => resultOf(job, DELIVERED)));
      expect(await due()).toEqual([]);
      for (const { id } of jobs) expect((await fixture.delivery(id)).attempts).toHaveLength(1);
    });
  });

  describe("for a partner", () => {
    test("that is disabled keeps its deliveries and returns them once it is enabled", async () => {
      const { id, endpoint } = await fixture.addPartner();
      const [one, two] = [await add(null, id), await add(null, id)];
      await fixture.change(id, { enabled: false });
      expect(await fixture.repository.duePartners(NOW)).toEqual([]);
      expect(await due(NOW, 50, [], id)).toEqual([]);
      expect(await fixture.repository.endpoint(id)).toBeNull();
      await fixture.change(id, { enabled: true });
      expect(await fixture.repository.duePartners(NOW)).toEqual([id]);
      expect(await due(NOW, 50, [], id)).toEqual([one.id, two.id]);
      const { revision } = await fixture.repository.endpointState(id);
      expect(await fixture.repository.endpoint(id)).toEqual({ ...endpoint, revision });
    });

    test("returns its endpoint, or none without one, and its deliveries in both cases", async () => {
      const { id, endpoint } = await fixture.addPartner();
      expect(await fixture.repository.endpoint(id)).toEqual({ ...endpoint, revision: 0 });
      const job = await add(null, id);
      await fixture.change(id, { url: null });
      expect(await fixture.repository.endpoint(id)).toBeNull();
      expect(await fixture.repository.duePartners(NOW)).toEqual([id]);
      expect(await due(NOW, 50, [], id)).toEqual([job.id]);
    });

    test("returns its own concurrency", async () => {
      const other = await fixture.addPartner();
      expect((await fixture.repository.endpointState(partnerId)).concurrency).toBeNull();
      await fixture.change(partnerId, { concurrency: 7 });
      expect((await fixture.repository.endpointState(partnerId)).concurrency).toBe(7);
      expect((await fixture.repository.endpointState(other.id)).concurrency).toBeNull();
    });

    test("returns the health that was saved last, healthy before", async () => {
      const other = await fixture.addPartner();
      const healthOf = async (id: string) => (await fixture.repository.endpointState(id)).health;
      expect(await healthOf(partnerId)).toEqual(HEALTHY);
      const bad = { failures: 21, failingSince: NOW - 9, pausedAt: NOW, lastError: "HTTP 500" };
      for (const health of [bad, { ...bad, failures: 22 }, HEALTHY]) {
        const { revision } = await fixture.repository.endpointState(partnerId);
        await fixture.repository.saveEndpointHealth(partnerId, health, revision, 0);
        expect(await healthOf(partnerId)).toEqual(health);
        expect(await healthOf(other.id)).toEqual(HEALTHY);
      }
    });

    test("keeps a change by an operator when a probe in progress ends", async () => {
      const { revision } = await fixture.repository.endpointState(partnerId);
      await fixture.change(partnerId, { url: "http://hooks.test/" });
      const bad = { failures: 21, failingSince: NOW - 9, pausedAt: NOW, lastError: "HTTP 500" };
      await fixture.repository.saveEndpointHealth(partnerId, bad, revision, 0);
      expect((await fixture.repository.endpointState(partnerId)).health).toEqual(HEALTHY);
    });
  });
});

test("the repository in memory behaves as the one in the database", async () => {
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
    const fixtures = [await inDatabase(), await memoryFixture()];
    const partners = await Promise.all(
      fixtures.map(async (fixture) => [(await fixture.addPartner()).id, (await fixture.addPartner()).id]),
    );
    /** The IDs of each fixture in creation order, which relate the deliveries of both. */
    const ids: string[][] = [[], []];
    let now = NOW;
    for (const one of steps) {
      if (one.do === "pass") now += one.ms;
      const seen = [];
      for (const [at, fixture] of fixtures.entries()) {
        const [mine, known] = [partners[at]!, ids[at]!];
        const named = (id: string) => known.indexOf(id);
        if (one.do === "add") {
          const key = one.key && `${one.key}${one.partner}`;
          known.push((await fixture.add(mine[one.partner]!, now, key)).id);
        }
        if (one.do === "enable") await fixture.change(mine[one.partner]!, { enabled: one.enabled });
        if (one.do === "attempt") {
          const jobs = await fixture.repository.due(mine[one.partner]!, now, 50, new Set());
          const job = jobs[one.nth % (jobs.length || 1)];
          const nextAttemptAt = one.outcome === "retry" ? now + one.delay : null;
          if (job) await fixture.repository.record([resultOf(job, { ...one, nextAttemptAt })]);
        }
        const due = mine.map((id) => fixture.repository.due(id, now, 3, new Set(known.slice(0, 1))));
        seen.push({
          partners: (await fixture.repository.duePartners(now)).map((id) => mine.indexOf(id)).toSorted(),
          nextDueAt: await fixture.repository.nextDueAt(now),
          due: (await Promise.all(due)).map((jobs) => jobs.map(({ id, attempts }) => [named(id), attempts])),
        });
      }
      expect(seen[1]).toEqual(seen[0]!);
    }
  });
  await fc.assert(run, { numRuns: 40 });
});

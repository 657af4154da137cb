import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemTimers } from "../../src/event-loop/event-loop.ts";
import type { AddressPolicy } from "../../src/webhooks/webhook-address-policy.ts";
import { createWebhookDispatcher, type Dispatcher } from "../../src/webhooks/webhook-dispatcher.ts";
import {
  DISPATCHER_DEFAULTS,
  type DispatcherDeps,
  type DispatcherOptions,
} from "../../src/webhooks/webhook-dispatcher-deps.ts";
import { createWebhookHttpSender } from "../../src/webhooks/webhook-http-sender.ts";
import { startReceiver, verifySignatures } from "../support/receiver.ts";
import { ManualTime } from "./manual-time.ts";
import { MemoryDeliveryRepository } from "./memory-delivery-repository.ts";
import { SimulatedEndpoints, type SimulatedResponse } from "./simulated-endpoints.ts";

const permissive: AddressPolicy = { allow: [], deny: [] };

const OK: SimulatedResponse = { status: 200 };
const DOWN: SimulatedResponse = { status: 500 };
const HANGS: SimulatedResponse = "hang";

/** A dispatcher on a repository in memory, with simulated time and endpoints. */
class DispatcherFixture {
  readonly time = new ManualTime();
  readonly outbox = new MemoryDeliveryRepository();
  readonly receivers = new SimulatedEndpoints(this.time);
  readonly startedAt = this.time.now;

  start(options: Partial<DispatcherOptions> = {}, ports: Partial<DispatcherDeps> = {}): Dispatcher {
    const { timersPort: timers } = this.time;
    const standard = this.outbox.deps({
      send: (request) => this.receivers.send(request),
      clock: () => this.time.now,
      timers,
    });
    const dispatcher = createWebhookDispatcher(
      { ...standard, ...ports },
      { ...DISPATCHER_DEFAULTS, ...options },
    );
    dispatcher.start();
    return dispatcher;
  }

  add(partnerId: string, orderKey: string | null = null) {
    return this.outbox.add(partnerId, orderKey, this.time.now);
  }

  /** Returns the seconds after the start at which the delivery was sent. */
  secondsOf(id: string): number[] {
    return this.receivers.sent.filter((one) => one.id === id).map(({ at }) => (at - this.startedAt) / 1000);
  }
}

describe("a delivery", () => {
  test("is sent at once and recorded as delivered", async () => {
    const fixture = new DispatcherFixture();
    const { id, body } = fixture.add("p1");
    fixture.start();
    await fixture.time.settle();
    expect(fixture.receivers.sent).toMatchObject([{ id, body, at: fixture.startedAt }]);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
    expect(fixture.outbox.attempts).toMatchObject([
      { deliveryId: id, attempt: 1, outcome: "delivered", statusCode: 200, error: null, nextAttemptAt: null },
    ]);
  });

  test("added later is sent when the dispatcher is woken", async () => {
    const fixture = new DispatcherFixture();
    const dispatcher = fixture.start();
    await fixture.time.settle();
    const first = fixture.add("p1");
    dispatcher.wake();
    await fixture.time.settle();
    const second = fixture.add("p2");
    dispatcher.wake(["p2"]);
    await fixture.time.settle();
    expect(fixture.receivers.sent.map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  test("added during a scan is not missed", async () => {
    const fixture = new DispatcherFixture();
    const { duePartners } = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    const dispatcher = fixture.start(
      {},
      {
        duePartners: async (now) => {
          const partners = await duePartners(now);
          await new Promise<void>((done) => fixture.time.timersPort.set(done, 100));
          return partners;
        },
      },
    );
    fixture.add("p1");
    dispatcher.wake();
    await fixture.time.advance(200);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });

  test("is found by the next scan if the dispatcher was not woken", async () => {
    const fixture = new DispatcherFixture();
    fixture.start();
    await fixture.time.settle();
    fixture.add("p1");
    await fixture.time.advance(DISPATCHER_DEFAULTS.pollIntervalMs);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });

  // Rule: retry-times
  test("is attempted at 0, 5 and 35 s, then failed and logged", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => DOWN;
    const { id } = fixture.add("p1", "C_1");
    fixture.start();
    await fixture.time.advance(600_000);
    expect(fixture.secondsOf(id)).toEqual([0, 5, 35]);
    expect(fixture.outbox.statuses()).toEqual(["failed"]);
    expect(fixture.outbox.attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual([
      "1 retry",
      "2 retry",
      "3 failed",
    ]);
    const made = { level: "info", message: "webhook attempt" };
    expect(fixture.outbox.log).toMatchObject([
      { ...made, fields: { delivery_id: id, attempt: 1, outcome: "retry" } },
      { ...made, fields: { delivery_id: id, attempt: 2, outcome: "retry" } },
      { ...made, fields: { delivery_id: id, attempt: 3, outcome: "failed" } },
      {
        level: "warn",
        message: "webhook delivery failed",
        fields: { delivery_id: id, error: "HTTP 500" },
      },
    ]);
  });

  // Rule: logged-deliveries
  test.each([
    ["all", ["1 retry", "2 delivered"]],
    ["failed", ["1 retry"]],
    ["none", []],
  ] as const)("has a line in the log for %s of its attempts", async (logged, lines) => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = (_partner, _id, nth) => (nth === 1 ? DOWN : OK);
    fixture.add("p1");
    fixture.start({ logged });
    await fixture.time.advance(600_000);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
    expect(fixture.outbox.log.map(({ fields }) => `${fields.attempt} ${fields.outcome}`)).toEqual([...lines]);
  });

  test("is not logged as failed where no attempt is logged", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => DOWN;
    fixture.add("p1");
    fixture.start({ logged: "none" });
    await fixture.time.advance(600_000);
    expect(fixture.outbox.statuses()).toEqual(["failed"]);
    expect(fixture.outbox.log).toEqual([]);
  });

  test("is not retried before the previous attempt has ended", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => HANGS;
    const { id } = fixture.add("p1");
    fixture.start();
    await fixture.time.advance(600_000);
    expect(fixture.secondsOf(id)).toEqual([0, 8, 38]);
  });

  test("is delivered by a later attempt with the same body", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = (_partner, _id, nth) => (nth < 3 ? DOWN : OK);
    const { id, body } = fixture.add("p1");
    fixture.start();
    await fixture.time.advance(40_000);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
    expect(fixture.receivers.sent.map((one) => `${one.id} ${one.body}`)).toEqual(
      Array(3).fill(`${id} ${body}`),
    );
  });

  test("is not delayed when the clock is set back by a day", async () => {
    const fixture = new DispatcherFixture();
    fixture.outbox.add("p1", null, fixture.time.now + 86_400_000);
    fixture.start();
    await fixture.time.settle();
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });

  test("waits without attempts while the partner has no endpoint", async () => {
    const fixture = new DispatcherFixture();
    fixture.outbox.endpoints.set("p1", null);
    fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.advance(50_000);
    expect(fixture.outbox.attempts).toEqual([]);
    expect(fixture.outbox.log).toHaveLength(1);
    fixture.outbox.endpoints.delete("p1");
    dispatcher.refresh("p1");
    await fixture.time.advance(10);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });
});

describe("partners", () => {
  test("do not delay each other: 3 of 20 hang", async () => {
    const fixture = new DispatcherFixture();
    const hanging = new Set(["p1", "p7", "p19"]);
    fixture.receivers.answer = (partnerId) => (hanging.has(partnerId) ? HANGS : OK);
    for (let i = 0; i < 400; i++) fixture.add(`p${i % 20}`);
    fixture.start();
    await fixture.time.advance(100);
    const done = fixture.outbox.deliveries.filter(({ status }) => status === "delivered");
    expect(done).toHaveLength(17 * 20);
    for (const partnerId of hanging) expect(fixture.receivers.underWay.get(partnerId)).toBe(4);
  });

  test("receive at most the configured number of concurrent deliveries", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => ({ status: 200, afterMs: 100 });
    for (let i = 0; i < 50; i++) fixture.add("p1");
    fixture.start({ concurrencyPerPartner: 3 });
    await fixture.time.advance(10_000);
    expect(Math.max(...fixture.receivers.sent.map(({ concurrent }) => concurrent))).toBe(3);
    expect(new Set(fixture.outbox.statuses())).toEqual(new Set(["delivered"]));
  });

  test("have at most some pages of deliveries in memory", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => ({ status: 200, afterMs: 10 });
    for (let i = 0; i < 1_000; i++) fixture.add("p1");
    let most = 0;
    const { due } = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    const dispatcher = fixture.start(
      { pageSize: 16 },
      {
        due: async (partnerId, now, limit, excluding) => {
          most = Math.max(most, limit + excluding.size);
          return due(partnerId, now, limit, excluding);
        },
      },
    );
    await fixture.time.advance(10_000);
    expect(dispatcher.stats()).toMatchObject({ delivered: 1_000, queued: 0, inFlight: 0 });
    expect(most).toBeLessThanOrEqual(32);
  });
});

describe("order", () => {
  test("is kept per key: one delivery of a key at a time, later ones once it is settled", async () => {
    const scenario = fc.record({
      keys: fc.array(fc.constantFrom("C_1", "C_2", "C_3", null), {
        minLength: 1,
        maxLength: 40,
        size: "max",
      }),
      failures: fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }),
      delays: fc.array(fc.constantFrom(0, 1, 700, 8_000), { minLength: 40, maxLength: 40 }),
      recordMs: fc.constantFrom(0, 50, 900),
      readMs: fc.constantFrom(0, 0, 20, 1_000),
      pageSize: fc.constantFrom(8, 9, 256),
      wakes: fc.array(fc.nat(40_000), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys, failures, delays, recordMs, readMs, pageSize, wakes }) => {
        const fixture = new DispatcherFixture();
        const { time, outbox } = fixture;
        const ids = keys.map((key) => fixture.add("p1", key).id);
        fixture.receivers.answer = (_partner, id, nth) => {
          const index = ids.indexOf(id);
          return { status: nth <= failures[index]! ? 503 : 200, afterMs: delays[index]! };
        };
        const { due, record } = outbox.deps({ send: null!, clock: null!, timers: null! });
        const wait = (ms: number) =>
          ms > 0 ? new Promise<void>((done) => time.timersPort.set(done, ms)) : undefined;
        const dispatcher = fixture.start(
          { pageSize, pollIntervalMs: 60_000 },
          {
            record: async (results) => {
              await wait(recordMs);
              await record(results);
            },
            due: async (...query) => {
              const page = await due(...query);
              await wait(readMs);
              return page;
            },
          },
        );
        for (const at of wakes) time.timersPort.set(() => dispatcher.wake(), at);
        await time.advance(7_200_000);
        expect(outbox.deliveries.filter(({ status }) => status === "pending")).toEqual([]);
        for (const key of ["C_1", "C_2", "C_3"]) {
          const ofKey = ids.filter((_, i) => keys[i] === key);
          const order = fixture.receivers.sent
            .filter(({ id }) => ofKey.includes(id))
            .map(({ id }) => ofKey.indexOf(id));
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        for (const [i, id] of ids.entries()) {
          expect(fixture.secondsOf(id)).toHaveLength(Math.min(3, failures[i]! + 1));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("lets other keys pass one that waits for its retry", async () => {
    const fixture = new DispatcherFixture();
    const [stuck, behind, other] = [
      fixture.add("p1", "C_1"),
      fixture.add("p1", "C_1"),
      fixture.add("p1", "C_2"),
    ];
    fixture.receivers.answer = (_partner, id, nth) => (id === stuck.id && nth === 1 ? DOWN : OK);
    fixture.start();
    await fixture.time.advance(1_000);
    expect(fixture.outbox.statuses()).toEqual(["pending", "pending", "delivered"]);
    await fixture.time.advance(5_000);
    expect(fixture.receivers.sent.map(({ id }) => id)).toEqual([stuck.id, other.id, stuck.id, behind.id]);
  });
});

describe("the store", () => {
  test("receives results in batches", async () => {
    const fixture = new DispatcherFixture();
    for (let i = 0; i < 200; i++) fixture.add(`p${i % 10}`);
    fixture.start();
    await fixture.time.advance(100);
    expect(fixture.outbox.batches.reduce((sum, size) => sum + size)).toBe(200);
    expect(Math.max(...fixture.outbox.batches)).toBeGreaterThan(4);
  });

  test("that is busy receives results later, and nothing is sent twice", async () => {
    const fixture = new DispatcherFixture();
    for (let i = 0; i < 20; i++) fixture.add("p1", `C_${i % 3}`);
    const { record } = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    let faults = 3;
    fixture.start(
      {},
      {
        record: async (results) => {
          if (faults-- > 0) throw new Error("database is locked");
          await record(results);
        },
      },
    );
    await fixture.time.advance(10_000);
    expect(new Set(fixture.outbox.statuses())).toEqual(new Set(["delivered"]));
    expect(fixture.receivers.sent).toHaveLength(20);
    expect(fixture.outbox.log.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  test("that cannot be written soon stops the sending", async () => {
    const fixture = new DispatcherFixture();
    for (let i = 0; i < 1_000; i++) fixture.add("p1");
    const dispatcher = fixture.start(
      { pageSize: 32 },
      { record: () => Promise.reject(new Error("disk full")) },
    );
    await fixture.time.advance(60_000);
    expect(fixture.receivers.sent.length).toBeLessThanOrEqual(64);
    expect(dispatcher.stats().unrecorded).toBe(fixture.receivers.sent.length);
  });

  test("that cannot be read is read again soon", async () => {
    const fixture = new DispatcherFixture();
    fixture.add("p1");
    const standard = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    const faults = { duePartners: 2, due: 2, endpoint: 2, receiver: 2 };
    const failing =
      <Args extends unknown[], Value>(name: keyof typeof faults, read: (...args: Args) => Promise<Value>) =>
      async (...args: Args) => {
        if (faults[name]-- > 0) throw new Error("database is locked");
        return read(...args);
      };
    fixture.start(
      {},
      {
        duePartners: failing("duePartners", standard.duePartners),
        due: failing("due", standard.due),
        endpoint: failing("endpoint", standard.endpoint),
        endpointState: failing("receiver", standard.endpointState),
      },
    );
    await fixture.time.advance(20_000);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
    expect(fixture.outbox.attempts).toMatchObject([{ attempt: 1 }]);
    expect(fixture.outbox.log.filter(({ level }) => level === "error")).toHaveLength(8);
  });
});

describe("stopping", () => {
  test("waits for attempts in progress, records them, and leaves the rest pending", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => ({ status: 200, afterMs: 2_000 });
    for (let i = 0; i < 10; i++) fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.settle();
    let isStopped = false;
    dispatcher.stop(10_000).then(() => {
      isStopped = true;
    });
    dispatcher.wake();
    await fixture.time.advance(1_999);
    expect(isStopped).toBe(false);
    await fixture.time.advance(10);
    expect(isStopped).toBe(true);
    expect(fixture.outbox.statuses().filter((status) => status === "delivered")).toHaveLength(4);
    await fixture.time.advance(600_000);
    expect(fixture.receivers.sent).toHaveLength(4);
  });

  test("returns at once without attempts in progress", async () => {
    const fixture = new DispatcherFixture();
    const dispatcher = fixture.start();
    await fixture.time.settle();
    await dispatcher.stop(10_000);
    expect(fixture.time.now).toBe(fixture.startedAt);
  });

  test("waits at most the grace period; unrecorded deliveries are sent again with the same ID and body", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => HANGS;
    const { id, body } = fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.settle();
    const stopped = dispatcher.stop(3_000);
    await fixture.time.advance(3_000);
    await stopped;
    expect(fixture.outbox.attempts).toEqual([]);
    fixture.receivers.answer = () => OK;
    fixture.start();
    await fixture.time.settle();
    expect(fixture.receivers.sent.map((one) => `${one.id} ${one.body}`)).toEqual(
      Array(2).fill(`${id} ${body}`),
    );
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });
});

test("keeps nothing of partners without deliveries, such as deleted ones", async () => {
  const fixture = new DispatcherFixture();
  fixture.receivers.answer = (partnerId) => (partnerId === "p1" ? DOWN : OK);
  const dispatcher = fixture.start();
  for (let nth = 0; nth < 100; nth++) {
    fixture.add(`p${nth}`);
    dispatcher.wake([`p${nth}`]);
  }
  await fixture.time.settle();
  expect(dispatcher.stats().partners).toBe(100);
  await fixture.time.advance(3_600_000);
  expect(dispatcher.stats().partners).toBe(0);
  expect(fixture.outbox.health.get("p1")).toMatchObject({ failures: 3 });
});

describe("an endpoint that keeps failing", () => {
  const busy = (fixture: DispatcherFixture, dispatcher: Dispatcher, everyMs: number) => {
    const again = () => {
      fixture.add("p1");
      dispatcher.wake(["p1"]);
      fixture.time.timersPort.set(again, everyMs);
    };
    again();
  };

  test("is paused, probed with its oldest delivery, and resumed without loss", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = (partnerId) => (partnerId === "p1" ? DOWN : OK);
    const dispatcher = fixture.start();
    busy(fixture, dispatcher, 10_000);
    await fixture.time.advance(660_000);
    expect(dispatcher.stats().pausedPartners).toEqual(["p1"]);
    expect(fixture.outbox.health.get("p1")).toMatchObject({
      lastError: "HTTP 500",
      failingSince: fixture.startedAt,
    });
    const failedBefore = fixture.outbox.statuses().filter((status) => status === "failed").length;
    const attemptsBefore = fixture.outbox.attempts.length;

    await fixture.time.advance(3_600_000);
    const probes = fixture.outbox.attempts.slice(attemptsBefore);
    expect(fixture.outbox.statuses().filter((status) => status === "failed")).toHaveLength(failedBefore);
    expect(probes).toHaveLength(60);
    const oldest = fixture.outbox.deliveries.find(({ status }) => status === "pending")!;
    for (const probe of probes) {
      expect(probe).toMatchObject({
        deliveryId: oldest.id,
        isProbe: true,
        outcome: "retry",
        attempt: oldest.attempts + 1,
      });
    }
    fixture.add("p2");
    dispatcher.wake();
    await fixture.time.advance(10);
    expect(fixture.outbox.deliveries.at(-1)).toMatchObject({ partnerId: "p2", status: "delivered" });

    fixture.receivers.answer = () => OK;
    await fixture.time.advance(61_000);
    expect(dispatcher.stats().pausedPartners).toEqual([]);
    expect(fixture.outbox.statuses()).not.toContain("pending");
    expect(fixture.outbox.health.get("p1")).toMatchObject({ pausedAt: null, failures: 0 });
    const reported = fixture.outbox.log.map(({ level, message }) => `${level} ${message.split(":")[0]}`);
    expect(
      reported.filter((line) => line === "warn webhook endpoint paused until a probe succeeds"),
    ).toHaveLength(1);
    expect(
      reported.filter((line) => line === "info webhook endpoint recovered, deliveries resumed"),
    ).toHaveLength(1);
  });

  test("is saved as paused, even if an earlier save is slow", async () => {
    const fixture = new DispatcherFixture();
    const release = Promise.withResolvers<void>();
    let saves = 0;
    fixture.receivers.answer = () => DOWN;
    for (let n = 0; n < 3; n++) fixture.add("p1");
    fixture.start(
      { pauseLimits: { failures: 2, failingMs: 0 } },
      {
        async saveEndpointHealth(partnerId, health) {
          if (saves++ === 0) await release.promise;
          fixture.outbox.health.set(partnerId, health);
        },
      },
    );
    await fixture.time.settle();
    release.resolve();
    await fixture.time.settle();
    expect(fixture.outbox.health.get("p1")).toMatchObject({ pausedAt: fixture.startedAt });
  });

  test("is still paused after a restart, and probed at once", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => DOWN;
    fixture.outbox.health.set("p1", { failures: 40, failingSince: 1, pausedAt: 2, lastError: "HTTP 500" });
    for (let i = 0; i < 10; i++) fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.advance(59_000);
    expect(fixture.receivers.sent).toHaveLength(1);
    expect(dispatcher.stats().pausedPartners).toEqual(["p1"]);
    fixture.receivers.answer = () => OK;
    await fixture.time.advance(1_100);
    expect(new Set(fixture.outbox.statuses())).toEqual(new Set(["delivered"]));
  });

  test("is retried when an operator resumes it", async () => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => DOWN;
    fixture.outbox.health.set("p1", { failures: 40, failingSince: 1, pausedAt: 2, lastError: "HTTP 500" });
    fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.settle();
    fixture.receivers.answer = () => OK;
    fixture.outbox.health.delete("p1");
    dispatcher.refresh("p1");
    await fixture.time.advance(10);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
  });

  test.each([
    ["many deliveries fail within a few minutes", 300, 1_000, 300_000],
    ["few deliveries fail over days", 6, 86_400_000, 6 * 86_400_000],
  ])("is not paused if %s: each delivery has three attempts", async (_when, count, everyMs, lastsMs) => {
    const fixture = new DispatcherFixture();
    fixture.receivers.answer = () => DOWN;
    const dispatcher = fixture.start({ pollIntervalMs: 86_400_000 });
    for (let i = 0; i < count; i++) {
      fixture.time.timersPort.set(() => {
        fixture.add("p1");
        dispatcher.wake(["p1"]);
      }, i * everyMs);
    }
    await fixture.time.advance(lastsMs + 60_000);
    expect(dispatcher.stats()).toMatchObject({ failed: count, retry: count * 2, pausedPartners: [] });
  });
});

describe("the health of an endpoint", () => {
  const healthOf = (fixture: DispatcherFixture) => fixture.outbox.health.get("p1");
  /** Changes the endpoint as an operator does, without notifying the dispatcher. */
  const change = ({ outbox }: DispatcherFixture) =>
    outbox.revisions.set("p1", (outbox.revisions.get("p1") ?? 0) + 1);

  test("includes a failure that occurs while the endpoint is read again", async () => {
    const fixture = new DispatcherFixture();
    const { endpointState: receiver } = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    const release = Promise.withResolvers<void>();
    let reads = 0;
    fixture.receivers.answer = () => ({ status: 500, afterMs: 100 });
    fixture.add("p1");
    const dispatcher = fixture.start(
      {},
      {
        async endpointState(partnerId) {
          if (++reads > 1) await release.promise;
          return await receiver(partnerId);
        },
      },
    );
    await fixture.time.advance(50);
    dispatcher.refresh("p1");
    await fixture.time.advance(100);
    expect(reads).toBe(2);
    release.resolve();
    await fixture.time.settle();
    expect(healthOf(fixture)).toMatchObject({ failures: 1, lastError: "HTTP 500" });
  });

  test("includes a failure after a change by an operator of which the dispatcher is not yet notified", async () => {
    const fixture = new DispatcherFixture();
    fixture.add("p1");
    const dispatcher = fixture.start();
    await fixture.time.settle();
    change(fixture);
    fixture.receivers.answer = () => DOWN;
    fixture.add("p1");
    dispatcher.wake();
    await fixture.time.settle();
    dispatcher.refresh("p1");
    await fixture.time.settle();
    expect(healthOf(fixture)).toMatchObject({ failures: 1, lastError: "HTTP 500" });
  });

  test.each([false, true])(
    "excludes a failure of an endpoint that was changed since (dispatcher notified: %p)",
    async (isNotified) => {
      const fixture = new DispatcherFixture();
      fixture.receivers.answer = () => ({ status: 500, afterMs: 100 });
      fixture.add("p1");
      const dispatcher = fixture.start();
      await fixture.time.advance(50);
      change(fixture);
      if (isNotified) dispatcher.refresh("p1");
      await fixture.time.advance(100);
      expect(fixture.outbox.attempts).toHaveLength(1);
      expect(healthOf(fixture)).toBeUndefined();
    },
  );

  test("recovers after a success, even if the endpoint was read again while the failure was saved", async () => {
    const fixture = new DispatcherFixture();
    const { saveEndpointHealth } = fixture.outbox.deps({ send: null!, clock: null!, timers: null! });
    const release = Promise.withResolvers<void>();
    fixture.receivers.answer = (_partnerId, _id, nth) => (nth === 1 ? DOWN : OK);
    fixture.add("p1");
    const dispatcher = fixture.start(
      {},
      {
        async saveEndpointHealth(...health) {
          await release.promise;
          await saveEndpointHealth(...health);
        },
      },
    );
    await fixture.time.settle();
    dispatcher.refresh("p1");
    await fixture.time.settle();
    release.resolve();
    await fixture.time.settle();
    expect(healthOf(fixture)).toMatchObject({ failures: 1 });
    await fixture.time.advance(10_000);
    expect(fixture.outbox.statuses()).toEqual(["delivered"]);
    expect(healthOf(fixture)).toMatchObject({ failures: 0, lastError: null });
  });
});

describe("over real connections", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  test("deliveries arrive signed, each once, while the endpoint of another partner hangs", async () => {
    const receiver = await startReceiver();
    const hanging = await startReceiver({ behave: () => "hang" });
    const resolve = async () => [];
    const sender = createWebhookHttpSender({
      policy: () => permissive,
      resolve,
      extraAuthorities: null,
      proxy: null,
    });
    const outbox = new MemoryDeliveryRepository();
    const secret = `whsec_${Buffer.alloc(32, "secret").toString("base64")}`;
    const nextSecret = `whsec_${Buffer.alloc(32, "next").toString("base64")}`;
    outbox.endpoints.set("good", { url: receiver.url, secret, nextSecret });
    outbox.endpoints.set("hangs", { url: hanging.url, secret, nextSecret: null });
    for (let i = 0; i < 100; i++) outbox.add(i % 2 ? "good" : "hangs", `C_${i % 14}`);
    const ports = outbox.deps({ send: sender.send, clock: Date.now, timers: systemTimers });
    const dispatcher = createWebhookDispatcher(ports);
    closing.push(() => dispatcher.stop(0), sender.close, receiver.close, hanging.close);
    const beforeS = Math.floor(Date.now() / 1000);
    dispatcher.start();
    await receiver.waitFor((received) => received.length === 50);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(50);
    expect(receiver.connections()).toBeLessThanOrEqual(4);
    for (const delivery of receiver.received) {
      expect(await verifySignatures(delivery, secret, nextSecret)).toEqual({
        service: true,
        webhook: true,
        standard: true,
        next: true,
      });
      expect(JSON.parse(delivery.body.toString())).toEqual({ id: delivery.id, note: "Zürich" });
      expect(Number(delivery.headers["webhook-timestamp"])).toBeWithin(beforeS, Date.now() / 1000 + 1);
    }
  });
});

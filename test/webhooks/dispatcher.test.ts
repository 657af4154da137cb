import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemTimers } from "../../src/event-loop.ts";
import type { AddressPolicy } from "../../src/webhooks/address-policy.ts";
import { createDispatcher, type Dispatcher } from "../../src/webhooks/dispatcher.ts";
import {
  DISPATCHER_DEFAULTS,
  type DispatcherDeps,
  type DispatcherOptions,
} from "../../src/webhooks/dispatcher-deps.ts";
import { createHttpSender } from "../../src/webhooks/http-sender.ts";
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
    const dispatcher = createDispatcher({ ...standard, ...ports }, { ...DISPATCHER_DEFAULTS, ...options });
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
    const world = new DispatcherFixture();
    const { id, body } = world.add("p1");
    world.start();
    await world.time.settle();
    expect(world.receivers.sent).toMatchObject([{ id, body, at: world.startedAt }]);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
    expect(world.outbox.attempts).toMatchObject([
      { deliveryId: id, attempt: 1, outcome: "delivered", statusCode: 200, error: null, nextAttemptAt: null },
    ]);
  });

  test("added later is sent when the dispatcher is woken", async () => {
    const world = new DispatcherFixture();
    const dispatcher = world.start();
    await world.time.settle();
    const first = world.add("p1");
    dispatcher.wake();
    await world.time.settle();
    const second = world.add("p2");
    dispatcher.wake(["p2"]);
    await world.time.settle();
    expect(world.receivers.sent.map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  test("added during a scan is not missed", async () => {
    const world = new DispatcherFixture();
    const { duePartners } = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    const dispatcher = world.start(
      {},
      {
        duePartners: async (now) => {
          const partners = await duePartners(now);
          await new Promise<void>((done) => world.time.timersPort.set(done, 100));
          return partners;
        },
      },
    );
    world.add("p1");
    dispatcher.wake();
    await world.time.advance(200);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });

  test("is found by the next scan if the dispatcher was not woken", async () => {
    const world = new DispatcherFixture();
    world.start();
    await world.time.settle();
    world.add("p1");
    await world.time.advance(DISPATCHER_DEFAULTS.pollIntervalMs);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });

  // Rule: retry-times
  test("is attempted at 0, 5 and 35 s, then failed and logged", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => DOWN;
    const { id } = world.add("p1", "C_1");
    world.start();
    await world.time.advance(600_000);
    expect(world.secondsOf(id)).toEqual([0, 5, 35]);
    expect(world.outbox.statuses()).toEqual(["failed"]);
    expect(world.outbox.attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual([
      "1 retry",
      "2 retry",
      "3 failed",
    ]);
    const made = { level: "info", message: "webhook attempt" };
    expect(world.outbox.log).toMatchObject([
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
    const world = new DispatcherFixture();
    world.receivers.answer = (_partner, _id, nth) => (nth === 1 ? DOWN : OK);
    world.add("p1");
    world.start({ logged });
    await world.time.advance(600_000);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
    expect(world.outbox.log.map(({ fields }) => `${fields.attempt} ${fields.outcome}`)).toEqual([...lines]);
  });

  test("is not logged as failed where no attempt is logged", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => DOWN;
    world.add("p1");
    world.start({ logged: "none" });
    await world.time.advance(600_000);
    expect(world.outbox.statuses()).toEqual(["failed"]);
    expect(world.outbox.log).toEqual([]);
  });

  test("is not retried before the previous attempt has ended", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => HANGS;
    const { id } = world.add("p1");
    world.start();
    await world.time.advance(600_000);
    expect(world.secondsOf(id)).toEqual([0, 8, 38]);
  });

  test("is delivered by a later attempt with the same body", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = (_partner, _id, nth) => (nth < 3 ? DOWN : OK);
    const { id, body } = world.add("p1");
    world.start();
    await world.time.advance(40_000);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
    expect(world.receivers.sent.map((one) => `${one.id} ${one.body}`)).toEqual(
      Array(3).fill(`${id} ${body}`),
    );
  });

  test("is not delayed when the clock is set back by a day", async () => {
    const world = new DispatcherFixture();
    world.outbox.add("p1", null, world.time.now + 86_400_000);
    world.start();
    await world.time.settle();
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });

  test("waits without attempts while the partner has no endpoint", async () => {
    const world = new DispatcherFixture();
    world.outbox.endpoints.set("p1", null);
    world.add("p1");
    const dispatcher = world.start();
    await world.time.advance(50_000);
    expect(world.outbox.attempts).toEqual([]);
    expect(world.outbox.log).toHaveLength(1);
    world.outbox.endpoints.delete("p1");
    dispatcher.refresh("p1");
    await world.time.advance(10);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });
});

describe("partners", () => {
  test("do not delay each other: 3 of 20 hang", async () => {
    const world = new DispatcherFixture();
    const hanging = new Set(["p1", "p7", "p19"]);
    world.receivers.answer = (partnerId) => (hanging.has(partnerId) ? HANGS : OK);
    for (let i = 0; i < 400; i++) world.add(`p${i % 20}`);
    world.start();
    await world.time.advance(100);
    const done = world.outbox.deliveries.filter(({ status }) => status === "delivered");
    expect(done).toHaveLength(17 * 20);
    for (const partnerId of hanging) expect(world.receivers.underWay.get(partnerId)).toBe(4);
  });

  test("receive at most the configured number of concurrent deliveries", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => ({ status: 200, afterMs: 100 });
    for (let i = 0; i < 50; i++) world.add("p1");
    world.start({ concurrencyPerPartner: 3 });
    await world.time.advance(10_000);
    expect(Math.max(...world.receivers.sent.map(({ concurrent }) => concurrent))).toBe(3);
    expect(new Set(world.outbox.statuses())).toEqual(new Set(["delivered"]));
  });

  test("have at most some pages of deliveries in memory", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => ({ status: 200, afterMs: 10 });
    for (let i = 0; i < 1_000; i++) world.add("p1");
    let most = 0;
    const { due } = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    const dispatcher = world.start(
      { pageSize: 16 },
      {
        due: async (partnerId, now, limit, excluding) => {
          most = Math.max(most, limit + excluding.size);
          return due(partnerId, now, limit, excluding);
        },
      },
    );
    await world.time.advance(10_000);
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
        const world = new DispatcherFixture();
        const { time, outbox } = world;
        const ids = keys.map((key) => world.add("p1", key).id);
        world.receivers.answer = (_partner, id, nth) => {
          const index = ids.indexOf(id);
          return { status: nth <= failures[index]! ? 503 : 200, afterMs: delays[index]! };
        };
        const { due, record } = outbox.deps({ send: null!, clock: null!, timers: null! });
        const wait = (ms: number) =>
          ms > 0 ? new Promise<void>((done) => time.timersPort.set(done, ms)) : undefined;
        const dispatcher = world.start(
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
          const order = world.receivers.sent
            .filter(({ id }) => ofKey.includes(id))
            .map(({ id }) => ofKey.indexOf(id));
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        for (const [i, id] of ids.entries()) {
          expect(world.secondsOf(id)).toHaveLength(Math.min(3, failures[i]! + 1));
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("lets other keys pass one that waits for its retry", async () => {
    const world = new DispatcherFixture();
    const [stuck, behind, other] = [world.add("p1", "C_1"), world.add("p1", "C_1"), world.add("p1", "C_2")];
    world.receivers.answer = (_partner, id, nth) => (id === stuck.id && nth === 1 ? DOWN : OK);
    world.start();
    await world.time.advance(1_000);
    expect(world.outbox.statuses()).toEqual(["pending", "pending", "delivered"]);
    await world.time.advance(5_000);
    expect(world.receivers.sent.map(({ id }) => id)).toEqual([stuck.id, other.id, stuck.id, behind.id]);
  });
});

describe("the store", () => {
  test("receives results in batches", async () => {
    const world = new DispatcherFixture();
    for (let i = 0; i < 200; i++) world.add(`p${i % 10}`);
    world.start();
    await world.time.advance(100);
    expect(world.outbox.batches.reduce((sum, size) => sum + size)).toBe(200);
    expect(Math.max(...world.outbox.batches)).toBeGreaterThan(4);
  });

  test("that is busy receives results later, and nothing is sent twice", async () => {
    const world = new DispatcherFixture();
    for (let i = 0; i < 20; i++) world.add("p1", `C_${i % 3}`);
    const { record } = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    let faults = 3;
    world.start(
      {},
      {
        record: async (results) => {
          if (faults-- > 0) throw new Error("database is locked");
          await record(results);
        },
      },
    );
    await world.time.advance(10_000);
    expect(new Set(world.outbox.statuses())).toEqual(new Set(["delivered"]));
    expect(world.receivers.sent).toHaveLength(20);
    expect(world.outbox.log.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  test("that cannot be written soon stops the sending", async () => {
    const world = new DispatcherFixture();
    for (let i = 0; i < 1_000; i++) world.add("p1");
    const dispatcher = world.start(
      { pageSize: 32 },
      { record: () => Promise.reject(new Error("disk full")) },
    );
    await world.time.advance(60_000);
    expect(world.receivers.sent.length).toBeLessThanOrEqual(64);
    expect(dispatcher.stats().unrecorded).toBe(world.receivers.sent.length);
  });

  test("that cannot be read is read again soon", async () => {
    const world = new DispatcherFixture();
    world.add("p1");
    const standard = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    const faults = { duePartners: 2, due: 2, endpoint: 2, receiver: 2 };
    const failing =
      <Args extends unknown[], Value>(name: keyof typeof faults, read: (...args: Args) => Promise<Value>) =>
      async (...args: Args) => {
        if (faults[name]-- > 0) throw new Error("database is locked");
        return read(...args);
      };
    world.start(
      {},
      {
        duePartners: failing("duePartners", standard.duePartners),
        due: failing("due", standard.due),
        endpoint: failing("endpoint", standard.endpoint),
        endpointState: failing("receiver", standard.endpointState),
      },
    );
    await world.time.advance(20_000);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
    expect(world.outbox.attempts).toMatchObject([{ attempt: 1 }]);
    expect(world.outbox.log.filter(({ level }) => level === "error")).toHaveLength(8);
  });
});

describe("stopping", () => {
  test("waits for attempts in progress, records them, and leaves the rest pending", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => ({ status: 200, afterMs: 2_000 });
    for (let i = 0; i < 10; i++) world.add("p1");
    const dispatcher = world.start();
    await world.time.settle();
    let isStopped = false;
    dispatcher.stop(10_000).then(() => {
      isStopped = true;
    });
    dispatcher.wake();
    await world.time.advance(1_999);
    expect(isStopped).toBe(false);
    await world.time.advance(10);
    expect(isStopped).toBe(true);
    expect(world.outbox.statuses().filter((status) => status === "delivered")).toHaveLength(4);
    await world.time.advance(600_000);
    expect(world.receivers.sent).toHaveLength(4);
  });

  test("returns at once without attempts in progress", async () => {
    const world = new DispatcherFixture();
    const dispatcher = world.start();
    await world.time.settle();
    await dispatcher.stop(10_000);
    expect(world.time.now).toBe(world.startedAt);
  });

  test("waits at most the grace period; unrecorded deliveries are sent again with the same ID and body", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => HANGS;
    const { id, body } = world.add("p1");
    const dispatcher = world.start();
    await world.time.settle();
    const stopped = dispatcher.stop(3_000);
    await world.time.advance(3_000);
    await stopped;
    expect(world.outbox.attempts).toEqual([]);
    world.receivers.answer = () => OK;
    world.start();
    await world.time.settle();
    expect(world.receivers.sent.map((one) => `${one.id} ${one.body}`)).toEqual(
      Array(2).fill(`${id} ${body}`),
    );
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });
});

test("keeps nothing of partners without deliveries, such as deleted ones", async () => {
  const world = new DispatcherFixture();
  world.receivers.answer = (partnerId) => (partnerId === "p1" ? DOWN : OK);
  const dispatcher = world.start();
  for (let nth = 0; nth < 100; nth++) {
    world.add(`p${nth}`);
    dispatcher.wake([`p${nth}`]);
  }
  await world.time.settle();
  expect(dispatcher.stats().partners).toBe(100);
  await world.time.advance(3_600_000);
  expect(dispatcher.stats().partners).toBe(0);
  expect(world.outbox.health.get("p1")).toMatchObject({ failures: 3 });
});

describe("an endpoint that keeps failing", () => {
  const busy = (world: DispatcherFixture, dispatcher: Dispatcher, everyMs: number) => {
    const again = () => {
      world.add("p1");
      dispatcher.wake(["p1"]);
      world.time.timersPort.set(again, everyMs);
    };
    again();
  };

  test("is paused, probed with its oldest delivery, and resumed without loss", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = (partnerId) => (partnerId === "p1" ? DOWN : OK);
    const dispatcher = world.start();
    busy(world, dispatcher, 10_000);
    await world.time.advance(660_000);
    expect(dispatcher.stats().pausedPartners).toEqual(["p1"]);
    expect(world.outbox.health.get("p1")).toMatchObject({
      lastError: "HTTP 500",
      failingSince: world.startedAt,
    });
    const failedBefore = world.outbox.statuses().filter((status) => status === "failed").length;
    const attemptsBefore = world.outbox.attempts.length;

    await world.time.advance(3_600_000);
    const probes = world.outbox.attempts.slice(attemptsBefore);
    expect(world.outbox.statuses().filter((status) => status === "failed")).toHaveLength(failedBefore);
    expect(probes).toHaveLength(60);
    const oldest = world.outbox.deliveries.find(({ status }) => status === "pending")!;
    for (const probe of probes) {
      expect(probe).toMatchObject({
        deliveryId: oldest.id,
        isProbe: true,
        outcome: "retry",
        attempt: oldest.attempts + 1,
      });
    }
    world.add("p2");
    dispatcher.wake();
    await world.time.advance(10);
    expect(world.outbox.deliveries.at(-1)).toMatchObject({ partnerId: "p2", status: "delivered" });

    world.receivers.answer = () => OK;
    await world.time.advance(61_000);
    expect(dispatcher.stats().pausedPartners).toEqual([]);
    expect(world.outbox.statuses()).not.toContain("pending");
    expect(world.outbox.health.get("p1")).toMatchObject({ pausedAt: null, failures: 0 });
    const reported = world.outbox.log.map(({ level, message }) => `${level} ${message.split(":")[0]}`);
    expect(
      reported.filter((line) => line === "warn webhook endpoint paused until a probe succeeds"),
    ).toHaveLength(1);
    expect(
      reported.filter((line) => line === "info webhook endpoint recovered, deliveries resumed"),
    ).toHaveLength(1);
  });

  test("is saved as paused, even if an earlier save is slow", async () => {
    const world = new DispatcherFixture();
    const release = Promise.withResolvers<void>();
    let saves = 0;
    world.receivers.answer = () => DOWN;
    for (let n = 0; n < 3; n++) world.add("p1");
    world.start(
      { pauseLimits: { failures: 2, failingMs: 0 } },
      {
        async saveEndpointHealth(partnerId, health) {
          if (saves++ === 0) await release.promise;
          world.outbox.health.set(partnerId, health);
        },
      },
    );
    await world.time.settle();
    release.resolve();
    await world.time.settle();
    expect(world.outbox.health.get("p1")).toMatchObject({ pausedAt: world.startedAt });
  });

  test("is still paused after a restart, and probed at once", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => DOWN;
    world.outbox.health.set("p1", { failures: 40, failingSince: 1, pausedAt: 2, lastError: "HTTP 500" });
    for (let i = 0; i < 10; i++) world.add("p1");
    const dispatcher = world.start();
    await world.time.advance(59_000);
    expect(world.receivers.sent).toHaveLength(1);
    expect(dispatcher.stats().pausedPartners).toEqual(["p1"]);
    world.receivers.answer = () => OK;
    await world.time.advance(1_100);
    expect(new Set(world.outbox.statuses())).toEqual(new Set(["delivered"]));
  });

  test("is retried when an operator resumes it", async () => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => DOWN;
    world.outbox.health.set("p1", { failures: 40, failingSince: 1, pausedAt: 2, lastError: "HTTP 500" });
    world.add("p1");
    const dispatcher = world.start();
    await world.time.settle();
    world.receivers.answer = () => OK;
    world.outbox.health.delete("p1");
    dispatcher.refresh("p1");
    await world.time.advance(10);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
  });

  test.each([
    ["many deliveries fail within a few minutes", 300, 1_000, 300_000],
    ["few deliveries fail over days", 6, 86_400_000, 6 * 86_400_000],
  ])("is not paused if %s: each delivery has three attempts", async (_when, count, everyMs, lastsMs) => {
    const world = new DispatcherFixture();
    world.receivers.answer = () => DOWN;
    const dispatcher = world.start({ pollIntervalMs: 86_400_000 });
    for (let i = 0; i < count; i++) {
      world.time.timersPort.set(() => {
        world.add("p1");
        dispatcher.wake(["p1"]);
      }, i * everyMs);
    }
    await world.time.advance(lastsMs + 60_000);
    expect(dispatcher.stats()).toMatchObject({ failed: count, retry: count * 2, pausedPartners: [] });
  });
});

describe("the health of an endpoint", () => {
  const healthOf = (world: DispatcherFixture) => world.outbox.health.get("p1");
  /** Changes the endpoint as an operator does, without notifying the dispatcher. */
  const change = ({ outbox }: DispatcherFixture) =>
    outbox.revisions.set("p1", (outbox.revisions.get("p1") ?? 0) + 1);

  test("includes a failure that occurs while the endpoint is read again", async () => {
    const world = new DispatcherFixture();
    const { endpointState: receiver } = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    const release = Promise.withResolvers<void>();
    let reads = 0;
    world.receivers.answer = () => ({ status: 500, afterMs: 100 });
    world.add("p1");
    const dispatcher = world.start(
      {},
      {
        async endpointState(partnerId) {
          if (++reads > 1) await release.promise;
          return await receiver(partnerId);
        },
      },
    );
    await world.time.advance(50);
    dispatcher.refresh("p1");
    await world.time.advance(100);
    expect(reads).toBe(2);
    release.resolve();
    await world.time.settle();
    expect(healthOf(world)).toMatchObject({ failures: 1, lastError: "HTTP 500" });
  });

  test("includes a failure after a change by an operator of which the dispatcher is not yet notified", async () => {
    const world = new DispatcherFixture();
    world.add("p1");
    const dispatcher = world.start();
    await world.time.settle();
    change(world);
    world.receivers.answer = () => DOWN;
    world.add("p1");
    dispatcher.wake();
    await world.time.settle();
    dispatcher.refresh("p1");
    await world.time.settle();
    expect(healthOf(world)).toMatchObject({ failures: 1, lastError: "HTTP 500" });
  });

  test.each([false, true])(
    "excludes a failure of an endpoint that was changed since (dispatcher notified: %p)",
    async (isNotified) => {
      const world = new DispatcherFixture();
      world.receivers.answer = () => ({ status: 500, afterMs: 100 });
      world.add("p1");
      const dispatcher = world.start();
      await world.time.advance(50);
      change(world);
      if (isNotified) dispatcher.refresh("p1");
      await world.time.advance(100);
      expect(world.outbox.attempts).toHaveLength(1);
      expect(healthOf(world)).toBeUndefined();
    },
  );

  test("recovers after a success, even if the endpoint was read again while the failure was saved", async () => {
    const world = new DispatcherFixture();
    const { saveEndpointHealth } = world.outbox.deps({ send: null!, clock: null!, timers: null! });
    const release = Promise.withResolvers<void>();
    world.receivers.answer = (_partnerId, _id, nth) => (nth === 1 ? DOWN : OK);
    world.add("p1");
    const dispatcher = world.start(
      {},
      {
        async saveEndpointHealth(...health) {
          await release.promise;
          await saveEndpointHealth(...health);
        },
      },
    );
    await world.time.settle();
    dispatcher.refresh("p1");
    await world.time.settle();
    release.resolve();
    await world.time.settle();
    expect(healthOf(world)).toMatchObject({ failures: 1 });
    await world.time.advance(10_000);
    expect(world.outbox.statuses()).toEqual(["delivered"]);
    expect(healthOf(world)).toMatchObject({ failures: 0, lastError: null });
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
    const sender = createHttpSender({
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
    const dispatcher = createDispatcher(ports);
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

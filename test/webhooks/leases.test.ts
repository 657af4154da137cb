import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LEASE_MS } from "../../src/cluster/lease.ts";
import { serverDeliveryResultsUnderLeases } from "../../src/server/composition/compose-delivery-repository.ts";
import { composeDeliveryLeases } from "../../src/server/composition/compose-webhook-delivery.ts";
import { createWebhookDispatcher } from "../../src/webhooks/webhook-dispatcher.ts";
import { DISPATCHER_DEFAULTS, type DispatcherDeps } from "../../src/webhooks/webhook-dispatcher-deps.ts";
import { MemoryLeaseRepository } from "../support/memory-lease-repository.ts";
import { SimulatedServer } from "../support/simulated-server.ts";
import { ManualTime } from "./manual-time.ts";
import { MemoryDeliveryRepository } from "./memory-delivery-repository.ts";
import { SimulatedEndpoints } from "./simulated-endpoints.ts";

/** Several servers that share an outbox. */
async function serversOf(count: number) {
  const time = new ManualTime();
  const book = new MemoryLeaseRepository(() => time.now);
  const outbox = new MemoryDeliveryRepository();
  const receivers = new SimulatedEndpoints(time);
  const tx = { servers: book } as unknown as Parameters<typeof serverDeliveryResultsUnderLeases>[0];
  const servers = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const server = new SimulatedServer(`s${n}`, time, book);
      await server.membership.start();
      const send: DispatcherDeps["send"] = async (request) => {
        await server.running();
        const result = await receivers.send(request);
        await server.running();
        return result;
      };
      const stored = outbox.deps({ send, clock: () => time.now, timers: server.timers });
      const record: DispatcherDeps["record"] = async (results) => {
        const own = await serverDeliveryResultsUnderLeases(tx, server.membership, results);
        await stored.record(own);
      };
      const { duePartners, due, nextDueAt } = server.reaching(stored);
      const reached = server.reaching({ record });
      const dispatcher = createWebhookDispatcher(
        {
          ...stored,
          duePartners,
          due,
          nextDueAt,
          record: reached.record,
          send,
          leases: composeDeliveryLeases(server.membership)!,
        },
        DISPATCHER_DEFAULTS,
      );
      dispatcher.start();
      return { server, dispatcher };
    }),
  );
  await time.settle();
  return { time, book, outbox, receivers, servers };
}

/** Results for deliveries that another server had settled. */
const lateResults = ({ log }: MemoryDeliveryRepository) =>
  log.filter(({ fields }) => /not pending/.test((fields.err as Error | undefined)?.message ?? ""));

const sentIds = (receivers: SimulatedEndpoints) => receivers.sent.map(({ id }) => id);

describe("servers that share an outbox", () => {
  test("send a delivery once, whichever of them is woken", async () => {
    const { time, outbox, receivers, servers } = await serversOf(3);
    const ids = ["p1", "p2", "p3", "p1", "p2", "p3"].map((partner) => outbox.add(partner, null, time.now).id);
    for (const { dispatcher } of servers) dispatcher.wake(["p1", "p2", "p3"]);
    await time.advance(10_000);
    expect(sentIds(receivers).toSorted()).toEqual(ids.toSorted());
    expect(new Set(outbox.statuses())).toEqual(new Set(["delivered"]));
  });

  test("send the deliveries of a dead server once its lease has expired", async () => {
    const { time, outbox, receivers, servers } = await serversOf(2);
    const [a, b] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const [first, second] = [outbox.add("p1", "C_1", time.now), outbox.add("p1", "C_1", time.now)];
    b.server.isPaused = true;
    receivers.answer = () => "hang";
    a.dispatcher.wake(["p1"]);
    await time.settle();
    expect(sentIds(receivers)).toEqual([first.id]);
    a.server.isPaused = true;
    b.server.resume();
    receivers.answer = () => ({ status: 200 });
    await time.advance(LEASE_MS / 2);
    expect(sentIds(receivers)).toEqual([first.id]);
    await time.advance(LEASE_MS);
    expect(sentIds(receivers)).toEqual([first.id, first.id, second.id]);
    expect(outbox.statuses()).toEqual(["delivered", "delivered"]);

    const recorded = outbox.attempts.length;
    a.server.resume();
    await time.advance(LEASE_MS);
    expect(outbox.attempts).toHaveLength(recorded);
    expect(outbox.statuses()).toEqual(["delivered", "delivered"]);
    expect(sentIds(receivers)).toHaveLength(3);
    expect(lateResults(outbox)).toEqual([]);
  });

  test("release the lease of an idle worker", async () => {
    const { time, outbox, servers, book } = await serversOf(2);
    outbox.add("p1", null, time.now);
    servers[0]!.dispatcher.wake(["p1"]);
    await time.settle();
    expect(book.rows.get("deliveries:p1")?.holder).toBe("s0");
    await time.advance(3 * DISPATCHER_DEFAULTS.pollIntervalMs);
    expect(book.rows.get("deliveries:p1")?.until).toBe(0);
  });

  test("pause an endpoint that fails seldom, although its worker is dropped between two deliveries", async () => {
    const { time, outbox, receivers, servers } = await serversOf(2);
    receivers.answer = () => ({ status: 500 });
    const [{ dispatcher }] = servers as [(typeof servers)[0]];
    for (let nth = 0; nth < 12; nth++) {
      outbox.add("p1", null, time.now);
      dispatcher.wake(["p1"]);
      await time.advance(60_000);
    }
    expect(outbox.health.get("p1")?.pausedAt).toBeNumber();
  });

  const PARTNERS = ["p1", "p2"];
  const action = fc.oneof(
    fc.record({ kind: fc.constantFrom("pause", "resume", "cut", "wake"), server: fc.nat(2) }),
    fc.record({ kind: fc.constant("add"), partner: fc.constantFrom(...PARTNERS), key: fc.nat(1) }),
    fc.record({ kind: fc.constant("answers"), status: fc.constantFrom(200, 500) }),
    fc.record({ kind: fc.constant("pass"), ms: fc.nat(LEASE_MS) }),
  );

  test("send everything, in order per component, through stops, partitions and restarts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const { time, outbox, receivers, servers } = await serversOf(3);
        for (const one of actions) {
          if ("ms" in one) await time.advance(one.ms);
          else if ("status" in one) receivers.answer = () => ({ status: one.status });
          else if ("partner" in one) outbox.add(one.partner, `C_${one.partner}_${one.key}`, time.now);
          else {
            const { server, dispatcher } = servers[one.server]!;
            if (one.kind === "pause") server.isPaused = true;
            if (one.kind === "resume") server.resume();
            if (one.kind === "cut") server.isCutOff = !server.isCutOff;
            if (one.kind === "wake") dispatcher.wake(PARTNERS);
            await time.settle();
          }
        }
        receivers.answer = () => ({ status: 200 });
        for (const { server } of servers) {
          server.isCutOff = false;
          server.resume();
        }
        await time.advance(1_000_000);
        expect(outbox.statuses()).not.toContain("pending");
        expect(lateResults(outbox)).toEqual([]);
        const sent = sentIds(receivers);
        const firstSent = new Map(sent.map((id) => [id, sent.indexOf(id)]));
        for (const key of new Set(outbox.deliveries.map(({ orderKey }) => orderKey))) {
          const order = outbox.deliveries
            .filter(({ orderKey }) => orderKey === key)
            .map(({ id }) => firstSent.get(id)!);
          expect(order).not.toContain(undefined as never);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 40 },
    );
  });
});

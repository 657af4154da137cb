import type {
  AttemptEndpoint,
  AttemptResult,
  PendingDelivery,
} from "../../src/webhooks/attempt-webhook-delivery.ts";
import type { DispatcherDeps } from "../../src/webhooks/webhook-dispatcher-deps.ts";
import { type EndpointHealth, HEALTHY } from "../../src/webhooks/webhook-endpoint-health.ts";
import { MAX_DELAY_MS } from "../../src/webhooks/webhook-retry-schedule.ts";

export type StoredDelivery = PendingDelivery & {
  status: "pending" | "delivered" | "failed";
  nextAttemptAt: number | null;
};
export type LogLine = { level: string; fields: Record<string, unknown>; message: string };

/** A repository in memory that outlives dispatchers as a database does. */
export class MemoryDeliveryRepository {
  readonly deliveries: StoredDelivery[] = [];
  readonly attempts: AttemptResult[] = [];
  readonly batches: number[] = [];
  readonly endpoints = new Map<string, AttemptEndpoint | null>();
  readonly disabled = new Set<string>();
  readonly concurrency = new Map<string, number>();
  readonly health = new Map<string, EndpointHealth>();
  readonly revisions = new Map<string, number>();
  readonly log: LogLine[] = [];
  private count = 0;

  add(partnerId: string, orderKey: string | null = null, now = 0): StoredDelivery {
    const id = `WH_${1_760_000_000_000 + this.count++}_aaaaa`;
    const delivery: StoredDelivery = {
      id,
      partnerId,
      event: "component.critical",
      body: JSON.stringify({ id, note: "Zürich" }),
      orderKey,
      requestId: null,
      attempts: 0,
      status: "pending",
      nextAttemptAt: now,
    };
    this.deliveries.push(delivery);
    return delivery;
  }

  statuses(): string[] {
    return this.deliveries.map(({ status }) => status);
  }

  attemptsOf(id: string): AttemptResult[] {
    return this.attempts.filter(({ deliveryId }) => deliveryId === id);
  }

  deps(rest: Pick<DispatcherDeps, "send" | "clock" | "timers">): DispatcherDeps {
    const pending = () => this.deliveries.filter(({ status }) => status === "pending");
    const isDue = ({ nextAttemptAt: at }: StoredDelivery, now: number) =>
      at !== null && (at <= now || at > now + MAX_DELAY_MS);
    const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
      void this.log.push({ level, fields, message });
    return {
      duePartners: async (now) => [
        ...new Set(
          pending()
            .filter((one) => isDue(one, now) && !this.disabled.has(one.partnerId))
            .map(({ partnerId }) => partnerId),
        ),
      ],
      due: async (partnerId, now, limit, excluding) => {
        const jobs: PendingDelivery[] = [];
        const laterKeys = new Set<string>();
        if (this.disabled.has(partnerId)) return jobs;
        for (const one of pending()) {
          if (one.partnerId !== partnerId || jobs.length === limit) continue;
          if (one.orderKey !== null && laterKeys.has(one.orderKey)) continue;
          if (!isDue(one, now)) {
            if (one.orderKey !== null) laterKeys.add(one.orderKey);
          } else if (!excluding.has(one.id)) jobs.push(jobOf(one));
        }
        return jobs;
      },
      nextDueAt: async (now) => {
        const later = pending().flatMap(({ nextAttemptAt: at }) => (at !== null && at > now ? [at] : []));
        return later.length > 0 ? Math.min(...later) : null;
      },
      endpoint: async (partnerId) => {
        if (this.disabled.has(partnerId)) return null;
        const revision = this.revisions.get(partnerId) ?? 0;
        const known = this.endpoints.get(partnerId);
        if (known !== undefined) return known && { ...known, revision };
        const secret = `whsec_${Buffer.alloc(32, partnerId).toString("base64")}`;
        return { url: `http://${partnerId}.test/`, secret, nextSecret: null, revision };
      },
      record: async (results) => {
        const kept = results.filter(
          (result) =>
            this.deliveries.some(({ id }) => id === result.deliveryId) && !this.attempts.includes(result),
        );
        for (const { deliveryId } of kept) this.pendingOf(deliveryId);
        this.batches.push(results.length);
        for (const result of kept) this.apply(result);
      },
      endpointState: async (partnerId) => ({
        health: this.health.get(partnerId) ?? HEALTHY,
        concurrency: this.concurrency.get(partnerId) ?? null,
        revision: this.revisions.get(partnerId) ?? 0,
      }),
      saveEndpointHealth: async (partnerId, health, revision) => {
        if (revision === (this.revisions.get(partnerId) ?? 0)) this.health.set(partnerId, health);
      },
      log: { info: write("info"), warn: write("warn"), error: write("error") },
      ...rest,
    };
  }

  /** Returns the pending delivery of a result. Throws if there is none, which would be a fault of the dispatcher. */
  private pendingOf(id: string): StoredDelivery {
    const delivery = this.deliveries.find((one) => one.id === id);
    if (delivery?.status !== "pending") throw new Error(`${id} is not pending`);
    return delivery;
  }

  private apply(result: AttemptResult): void {
    const delivery = this.pendingOf(result.deliveryId);
    this.attempts.push(result);
    const isFreeProbe = result.isProbe && result.outcome === "retry";
    if (!isFreeProbe) delivery.attempts = result.attempt;
    delivery.status = result.outcome === "retry" ? "pending" : result.outcome;
    delivery.nextAttemptAt = result.nextAttemptAt;
  }
}

function jobOf({ status: _, nextAttemptAt: __, ...job }: StoredDelivery): PendingDelivery {
  return job;
}

import type { AttemptResult, DeliveryJob, Endpoint } from "../../src/webhooks/attempt.ts";
import type { DispatchPorts } from "../../src/webhooks/dispatch-ports.ts";
import type { ReceiverHealth } from "../../src/webhooks/receiver-health.ts";
import type { Timers } from "../../src/webhooks/result-batcher.ts";
import { LONGEST_DELAY_MS } from "../../src/webhooks/retry-schedule.ts";

export type StoredDelivery = DeliveryJob & {
  status: "pending" | "delivered" | "failed";
  nextAttemptAt: number;
};
export type LogLine = { level: string; fields: Record<string, unknown>; message: string };

/** What a store keeps for the dispatcher, as its ports promise it. It outlives dispatchers, as a database does. */
export class MemoryOutbox {
  readonly deliveries: StoredDelivery[] = [];
  readonly attempts: AttemptResult[] = [];
  readonly batches: number[] = [];
  readonly endpoints = new Map<string, Endpoint | null>();
  readonly health = new Map<string, ReceiverHealth>();
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

  ports(rest: Pick<DispatchPorts, "send" | "clock" | "timers">): DispatchPorts {
    const pending = () => this.deliveries.filter(({ status }) => status === "pending");
    const isDue = ({ nextAttemptAt }: StoredDelivery, now: number) =>
      nextAttemptAt <= now || nextAttemptAt > now + LONGEST_DELAY_MS;
    const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
      void this.log.push({ level, fields, message });
    return {
      duePartners: async (now) => [
        ...new Set(
          pending()
            .filter((one) => isDue(one, now))
            .map(({ partnerId }) => partnerId),
        ),
      ],
      due: async (partnerId, now, limit, excluding) => {
        const jobs: DeliveryJob[] = [];
        const laterKeys = new Set<string>();
        for (const one of pending()) {
          if (one.partnerId !== partnerId || jobs.length === limit) continue;
          if (one.orderKey !== null && laterKeys.has(one.orderKey)) continue;
          if (!isDue(one, now)) {
            if (one.orderKey !== null) laterKeys.add(one.orderKey);
          } else if (!excluding.has(one.id)) jobs.push({ ...one });
        }
        return jobs;
      },
      nextDueAt: async (now) => {
        const later = pending().flatMap(({ nextAttemptAt }) => (nextAttemptAt > now ? [nextAttemptAt] : []));
        return later.length > 0 ? Math.min(...later) : null;
      },
      endpoint: async (partnerId) => {
        const known = this.endpoints.get(partnerId);
        if (known !== undefined) return known;
        const secret = `whsec_${Buffer.alloc(32, partnerId).toString("base64")}`;
        return { url: `http://${partnerId}.test/`, secret, nextSecret: null };
      },
      record: async (results) => {
        this.batches.push(results.length);
        for (const result of results) this.apply(result);
      },
      concurrency: async () => null,
      receiverHealth: async (partnerId) => this.health.get(partnerId) ?? null,
      saveReceiverHealth: async (partnerId, health) => void this.health.set(partnerId, health),
      log: { info: write("info"), warn: write("warn"), error: write("error") },
      ...rest,
    };
  }

  private apply(result: AttemptResult): void {
    const delivery = this.deliveries.find(({ id }) => id === result.deliveryId)!;
    if (delivery.status !== "pending") throw new Error(`${delivery.id} was settled before`);
    this.attempts.push(result);
    if (!result.isProbe) delivery.attempts = result.attempt;
    if (result.outcome !== "retry") delivery.status = result.outcome;
    else delivery.nextAttemptAt = result.nextAttemptAt!;
  }
}

/** Time that moves only when told to. */
export class ManualTime {
  now: number;
  private timers: { at: number; fire: () => void }[] = [];
  readonly timersPort: Timers = {
    set: (fire, delayMs) => {
      const timer = { at: this.now + delayMs, fire };
      this.timers.push(timer);
      return timer;
    },
    clear: (timer) => {
      this.timers = this.timers.filter((one) => one !== timer);
    },
  };

  constructor(startAt = 1_760_000_000_000) {
    this.now = startAt;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves on by so much, firing each timer at its own moment. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    await this.settle();
    for (;;) {
      const next = this.timers.reduce<{ at: number; fire: () => void } | undefined>(
        (first, one) => (one.at <= until && (!first || one.at < first.at) ? one : first),
        undefined,
      );
      if (!next) break;
      this.timersPort.clear(next);
      this.now = Math.max(this.now, next.at);
      next.fire();
      await this.settle();
    }
    this.now = until;
  }
}

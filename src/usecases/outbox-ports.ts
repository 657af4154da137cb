import { LRUCache } from "lru-cache";
import type { Instant } from "../domain/time.ts";
import type { Sealer } from "../secrets/sealer.ts";
import type { Store } from "../store/store.ts";
import type { AttemptResult, Endpoint } from "../webhooks/attempt.ts";
import type { Outbox } from "../webhooks/dispatch-ports.ts";
import { HEALTHY } from "../webhooks/receiver-health.ts";
import { LONGEST_DELAY_MS } from "../webhooks/retry-schedule.ts";
import { hasTakenOver } from "./administer-partner.ts";

/** Kept in clear, by their sealed text. */
const MOST_SECRETS = 1000;

/** The dispatcher's view of the store. */
export function outboxPorts(store: Store, sealer: Sealer, clock: () => Instant): Outbox {
  const { deliveries, partners } = store.read;
  const secrets = new LRUCache<string, string>({ max: MOST_SECRETS });

  /** Sealed texts never change, so each is opened once. */
  async function unseal(sealed: string): Promise<string> {
    const known = secrets.get(sealed);
    if (known !== undefined) return known;
    const secret = await sealer.unseal(sealed);
    secrets.set(sealed, secret);
    return secret;
  }

  const isEnabled = async (partnerId: string) => (await partners.find(partnerId))?.enabled === true;

  async function endpoint(partnerId: string): Promise<Endpoint | null> {
    const receiver = await partners.findEndpoint(partnerId);
    if (!receiver) return null;
    const next = receiver.nextSecret && (await unseal(receiver.nextSecret));
    if (next && hasTakenOver(receiver, clock())) return { url: receiver.url, secret: next, nextSecret: null };
    return { url: receiver.url, secret: await unseal(receiver.secret), nextSecret: next || null };
  }

  return {
    duePartners: (now) => deliveries.duePartners(now, now + LONGEST_DELAY_MS),
    // A disabled partner's deliveries wait, and go out when it is enabled again.
    due: async (partnerId, now, limit, excluding) =>
      (await isEnabled(partnerId))
        ? await deliveries.due(partnerId, now, now + LONGEST_DELAY_MS, limit, excluding)
        : [],
    nextDueAt: (now) => deliveries.nextDueAt(now),
    endpoint,
    record: (results) =>
      store.write(
        async (tx) => {
          for (const result of results) await tx.deliveries.recordAttempt(madeAttempt(result));
        },
        { partnerIds: [...new Set(results.map(({ partnerId }) => partnerId))] },
      ),
    concurrency: async (partnerId) => (await partners.findReceiver(partnerId))?.concurrency ?? null,
    async receiverHealth(partnerId) {
      const receiver = await partners.findReceiver(partnerId);
      if (!receiver) return HEALTHY;
      const { failures, failingSince, pausedAt, lastError } = receiver;
      return { failures, failingSince, pausedAt, lastError };
    },
    saveReceiverHealth: (partnerId, health) =>
      store.write((tx) => tx.partners.updateReceiver(partnerId, health), { partnerId }),
  };
}

function madeAttempt(result: AttemptResult) {
  const { deliveryId, startedAt, durationMs, statusCode, error, address, responseHead } = result;
  const isFreeProbe = result.isProbe && result.outcome === "retry";
  return {
    ...{ deliveryId, startedAt, durationMs, statusCode, error, address, responseHead },
    status: result.outcome === "retry" ? ("pending" as const) : result.outcome,
    cycleAttempts: isFreeProbe ? result.attempt - 1 : result.attempt,
    nextAttemptAt: result.nextAttemptAt,
  };
}

import { LRUCache } from "lru-cache";
import { type Cluster, SINGLE_NODE } from "../../cluster/cluster.ts";
import { hasSecretRotationEndedRule } from "../../domain/rules/secret-rotation-rule.ts";
import type { Instant } from "../../domain/time.ts";
import type { Encryptor } from "../../secrets/encryptor.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { AttemptResult } from "../../webhooks/attempt-webhook-delivery.ts";
import type { DeliveryRepository, RevisedEndpoint } from "../../webhooks/webhook-delivery-repository.ts";
import { HEALTHY } from "../../webhooks/webhook-endpoint-health.ts";
import { MAX_DELAY_MS } from "../../webhooks/webhook-retry-schedule.ts";

/** The most decrypted secrets kept in memory, by their encrypted text. */
const MAX_SECRETS = 1000;

/** The dispatcher's repository over the store. */
export function composeDeliveryRepository(
  store: Store,
  encryptor: Encryptor,
  clock: () => Instant,
  cluster: Cluster = SINGLE_NODE,
): DeliveryRepository {
  const { deliveries, partners } = store.read;
  const secrets = new LRUCache<string, string>({ max: MAX_SECRETS });

  /** Encrypted texts never change, so each is decrypted once. */
  async function decrypt(encrypted: string): Promise<string> {
    const known = secrets.get(encrypted);
    if (known !== undefined) return known;
    const secret = await encryptor.decrypt(encrypted);
    secrets.set(encrypted, secret);
    return secret;
  }

  const isEnabled = async (partnerId: string) => (await partners.find(partnerId))?.enabled === true;

  async function endpoint(partnerId: string): Promise<RevisedEndpoint | null> {
    const endpoint = await partners.findDeliveryTarget(partnerId);
    if (!endpoint) return null;
    const { url, revision } = endpoint;
    const next = endpoint.nextSecret && (await decrypt(endpoint.nextSecret));
    if (next && hasSecretRotationEndedRule(endpoint, clock()))
      return { url, revision, secret: next, nextSecret: null };
    return { url, revision, secret: await decrypt(endpoint.secret), nextSecret: next || null };
  }

  return {
    duePartners: (now) => deliveries.duePartners(now, now + MAX_DELAY_MS),
    // A disabled partner's deliveries wait until it is enabled again.
    due: async (partnerId, now, limit, excluding) =>
      (await isEnabled(partnerId))
        ? await deliveries.due(partnerId, now, now + MAX_DELAY_MS, limit, excluding)
        : [],
    nextDueAt: (now) => deliveries.nextDueAt(now),
    endpoint,
    record: (results) =>
      // Writes no numbered or dated row, and so does not wait for a partner's long writes.
      store.write(async (tx) => {
        const own = cluster.isSingleNode
          ? results
          : await serverDeliveryResultsUnderLeases(tx, cluster, results);
        for (const result of own) await tx.deliveries.recordAttempt(madeAttempt(result));
      }),
    async endpointState(partnerId) {
      const endpoint = await partners.findEndpoint(partnerId);
      if (!endpoint) return { health: HEALTHY, concurrency: null, revision: 0 };
      const { failures, failingSince, pausedAt, lastError, concurrency, revision } = endpoint;
      return { health: { failures, failingSince, pausedAt, lastError }, concurrency, revision };
    },
    saveEndpointHealth: (partnerId, health, revision, epoch) =>
      store.write(async (tx) => {
        const [own] = cluster.isSingleNode
          ? [true]
          : await serverDeliveryResultsUnderLeases(tx, cluster, [{ partnerId, epoch }]);
        if (own) await tx.partners.saveEndpointHealth(partnerId, health, revision);
      }),
  };
}

export const serverDeliveryLeaseName = (partnerId: string) => `deliveries:${partnerId}`;

/**
 * Returns the results of partners whose leases this server still holds; the server that has acquired a lease since reports its own.
 */
export async function serverDeliveryResultsUnderLeases<Made extends { partnerId: string; epoch?: number }>(
  tx: Tx,
  cluster: Cluster,
  made: readonly Made[],
): Promise<Made[]> {
  const names = new Set(made.map(({ partnerId }) => serverDeliveryLeaseName(partnerId)));
  const own = await cluster.confirm(tx, [...names]);
  return made.filter(({ partnerId, epoch }) => own.get(serverDeliveryLeaseName(partnerId)) === epoch);
}

function madeAttempt(result: AttemptResult) {
  const { deliveryId, startedAt, durationMs, statusCode, error, address, responseHead } = result;
  const isFreeProbe = result.isProbe && result.outcome === "retry";
  return {
    deliveryId,
    startedAt,
    durationMs,
    statusCode,
    error,
    address,
    responseHead,
    status: result.outcome === "retry" ? ("pending" as const) : result.outcome,
    cycleAttempts: isFreeProbe ? result.attempt - 1 : result.attempt,
    nextAttemptAt: result.nextAttemptAt,
  };
}

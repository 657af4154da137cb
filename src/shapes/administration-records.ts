import type { Administrator, Partner, WebhookReceiver } from "../domain/partner.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { AuditEntry } from "../store/audit.ts";
import type { Attempt, Delivery, FailedWindow, LoggedDelivery } from "../store/delivery-log.ts";
import type { Store } from "../store/store.ts";
import type { PartnerUsage } from "../usecases/partner-usage.ts";
import type { PartnerCredentials } from "../usecases/partners.ts";
import type { SnapshotResult } from "../usecases/take-snapshot.ts";

/*
 * What operators read, as it is written: the same from `/admin` and from a command's `--json`.
 */

const isoOrNull = (instant: Instant | null) => (instant === null ? null : toIso(instant));

/** A partner in a list, with how its receiver is doing. */
export function partnerRecord(partner: Partner, receiver: WebhookReceiver | undefined) {
  return {
    partner_id: partner.id,
    name: partner.name,
    enabled: partner.enabled,
    daily_budget: partner.dailyBudget,
    created_at: toIso(partner.createdAt),
    webhook_url: receiver?.url ?? null,
    webhook_events: receiver?.events ?? null,
    webhook_concurrency: receiver?.concurrency ?? null,
    webhook_paused_at: isoOrNull(receiver?.pausedAt ?? null),
    webhook_failing_since: isoOrNull(receiver?.failingSince ?? null),
    webhook_last_error: receiver?.lastError ?? null,
    webhook_secret_rotates_at: isoOrNull(receiver?.rotatesAt ?? null),
  };
}

/** A new partner's credentials, shown this once. */
export function credentialsRecord(partner: Partner, credentials: PartnerCredentials) {
  return {
    partner_id: partner.id,
    name: partner.name,
    api_key: credentials.apiKey,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    webhook_secret: credentials.webhookSecret,
  };
}

/** A partner alone, with the size of its portfolio and of its outbox. */
export async function fullPartnerRecord({ read }: Store, partner: Partner) {
  const { id } = partner;
  const totals = await read.totals.ofPartner(id);
  return {
    ...partnerRecord(partner, await read.partners.findReceiver(id)),
    client_id: (await read.partners.clientId(id)) ?? null,
    properties: totals.properties,
    appliances: totals.appliances,
    components: totals.components,
    deliveries_pending: await read.deliveryLog.count({ partnerId: id, status: "pending" }),
    deliveries_failed: await read.deliveryLog.count({ partnerId: id, status: "failed" }),
  };
}

export function administratorRecord({ id, name, createdAt, revokedAt }: Administrator) {
  return { admin_id: id, name, created_at: toIso(createdAt), revoked_at: isoOrNull(revokedAt) };
}

/** A delivery with every attempt, the oldest first. */
export function deliveryRecord({ delivery, attempts }: LoggedDelivery) {
  return {
    id: delivery.id,
    partner_id: delivery.partnerId,
    event: delivery.event,
    request_id: delivery.requestId,
    status: delivery.status,
    created_at: toIso(delivery.createdAt),
    next_attempt_at: isoOrNull(delivery.nextAttemptAt),
    finished_at: isoOrNull(delivery.finishedAt),
    attempt_count: delivery.attempts,
    attempts: attempts.map(attemptRecord),
  };
}

/** A delivery alone, with what it sends. */
export function fullDeliveryRecord(logged: LoggedDelivery) {
  return { ...deliveryRecord(logged), payload: JSON.parse(logged.delivery.body) as unknown };
}

function attemptRecord(attempt: Attempt) {
  return {
    attempt: attempt.attempt,
    started_at: toIso(attempt.startedAt),
    finished_at: toIso(attempt.startedAt + attempt.durationMs),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    address: attempt.address,
    response_head: attempt.responseHead,
  };
}

/** A delivery that is to be sent again. `attempts` counts those made so far. */
export function resentRecord({ id, partnerId, attempts }: Pick<Delivery, "id" | "partnerId" | "attempts">) {
  return { id, status: "pending", attempts, partner_id: partnerId };
}

export function bulkResendRecord(window: FailedWindow, counts: { matched: number; resent: number }) {
  return {
    partner_id: window.partnerId,
    from: toIso(window.from),
    to: toIso(window.to),
    status: "failed",
    ...counts,
  };
}

export function usageRecord({ partnerId, name, month, calls, days, billableUnits }: PartnerUsage) {
  return { partner_id: partnerId, name, month, calls, billable_units: billableUnits, days };
}

export function auditRecord({ at, ...entry }: AuditEntry) {
  return { ...entry, at: toIso(at) };
}

/** A snapshot that was taken, or that another run had taken; also in the log. */
export function snapshotRecord({ durationMs, alreadyDone, heldBack, ...counts }: SnapshotResult) {
  return { ...counts, held_back: heldBack, duration_ms: durationMs, already_done: alreadyDone };
}

import type { Attempt, Delivery, FailedWindow, LoggedDelivery } from "../domain/delivery.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, type WebhookEvent } from "../domain/partner.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { forPartner, operatorsPage, page, partnerName } from "./paging.ts";
import {
  anyObject,
  enumOf,
  flag,
  id,
  instant,
  list,
  mapOf,
  object,
  record,
  text,
  whole,
} from "./schema/fields.ts";
import { isoOrNull } from "./schema/units.ts";
import type { WireType } from "./schema/wire-type.ts";

/* What operators read of the delivery log: the same from `/admin` and from a command's `--json`. */

const attempt = record("DeliveryAttempt", {
  attempt: whole("Number of the attempt, over all cycles", 1),
  started_at: instant("When it began"),
  finished_at: instant("When it ended"),
  duration_ms: whole("How long it took, in milliseconds", 120),
  status_code: whole("The receiver's status; null without an answer", 200).orNull(),
  error: text("Why it failed, in words", "connection refused").orNull(),
  address: text("The address that was connected to", "203.0.113.7").orNull(),
  response_head: text("The first bytes of what was answered", "ok"),
});

const attemptRecord = attempt.serializer((attempt: Attempt) => ({
  attempt: attempt.attempt,
  started_at: toIso(attempt.startedAt),
  finished_at: toIso(attempt.startedAt + attempt.durationMs),
  duration_ms: attempt.durationMs,
  status_code: attempt.statusCode,
  error: attempt.error,
  address: attempt.address,
  response_head: attempt.responseHead,
}));

/** A delivery with every attempt, the oldest first. */
export const delivery = record("Delivery", {
  id: text("The delivery's id", "WH_1795230000000_k3v9x"),
  partner_id: id("PARTNER", "The partner"),
  event: enumOf(WEBHOOK_EVENTS, "The event"),
  request_id: text("The call that made it; null when none did", "tJgQOWERr73VMZbC").orNull(),
  status: enumOf(DELIVERY_STATUSES, "Whether it waits, arrived, or used up its attempts", "delivered"),
  created_at: instant("When it was made"),
  next_attempt_at: instant("When it is tried next").orNull(),
  finished_at: instant("When it arrived or was given up").orNull(),
  attempt_count: whole("Attempts made", 1),
  attempts: list("The attempts, the oldest first", attempt),
});

export const deliveryRecord = delivery.serializer(({ delivery, attempts }: LoggedDelivery) => ({
  id: delivery.id,
  partner_id: delivery.partnerId,
  event: delivery.event as WebhookEvent,
  request_id: delivery.requestId,
  status: delivery.status,
  created_at: toIso(delivery.createdAt),
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  finished_at: isoOrNull(delivery.finishedAt),
  attempt_count: delivery.attempts,
  attempts: attempts.map(attemptRecord),
}));

const deliveryOfAny = delivery.and({ partner_name: partnerName });
export const deliveryOfAnyRecord = deliveryOfAny.serializer((logged: LoggedDelivery, name: string) => ({
  ...deliveryRecord(logged),
  partner_name: name,
}));
export const deliveriesPage = operatorsPage("deliveries", deliveryOfAny);

/** A page of a partner's own. */
export const ownDeliveriesPage = page("deliveries", delivery);

/** A delivery alone, with what it sends. */
export const fullDelivery = delivery.and({
  payload: anyObject("What it sends") as WireType<unknown>,
});

export const fullDeliveryRecord = fullDelivery.serializer((logged: LoggedDelivery) => ({
  ...deliveryRecord(logged),
  payload: JSON.parse(logged.delivery.body) as unknown,
}));

export const deliverySignature = object({
  id: delivery.fields.id,
  signed_at: instant("The moment that is signed: each attempt signs its own"),
  headers: mapOf("The headers that it would be sent with then, by name", text("The header's value")),
});

export const deliverySignatureRecord = deliverySignature.serializer(
  (id: string, at: Instant, headers: Record<string, string>) => ({ id, signed_at: toIso(at), headers }),
);

export const resent = object({
  id: delivery.fields.id,
  status: enumOf(["pending"], "It is tried again"),
  attempts: whole("Attempts made so far", 3),
  partner_id: delivery.fields.partner_id,
});

/** A delivery that is to be sent again. */
export const resentRecord = resent.serializer((one: Pick<Delivery, "id" | "partnerId" | "attempts">) => ({
  id: one.id,
  status: "pending",
  attempts: one.attempts,
  partner_id: one.partnerId,
}));

/** The same to the partner itself. */
export const ownResentReply = forPartner(resent);

export const bulkResend = object({
  partner_id: delivery.fields.partner_id,
  from: instant("Deliveries made then or later"),
  to: instant("and before then"),
  status: enumOf(["failed"], "Those that failed"),
  matched: whole("Deliveries that the window holds", 12),
  resent: whole("Deliveries that are tried again", 12),
});

type Resent = { matched: number; resent: number };
export const bulkResendRecord = bulkResend.serializer(
  (window: FailedWindow, { matched, resent }: Resent) => ({
    partner_id: window.partnerId,
    from: toIso(window.from),
    to: toIso(window.to),
    status: "failed",
    matched,
    resent,
  }),
);

export const bulkResendReply = bulkResend.and({ dry_run: flag("Whether they were only counted", false) });

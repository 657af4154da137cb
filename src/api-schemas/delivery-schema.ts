import {
  type Attempt,
  type Delivery,
  type FailedDeliveryWindow,
  type FailureGroup,
  type LoggedDelivery,
  MAX_GROUP_COUNT,
} from "../domain/delivery.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, type WebhookEvent } from "../domain/partner.ts";
import { type Instant, isoText } from "../domain/time.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
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
} from "./definition/schema-field-types.ts";
import type { JsonOf, SchemaType } from "./definition/schema-type.ts";
import { forPartner, page, partnerName, unscopedPage } from "./paging-schema.ts";

/* The delivery log as JSON: the same from `/admin` and from a command's `--json`. */

const attempt = record("DeliveryAttempt", {
  attempt: whole("Number of the attempt, counted over all cycles", 1),
  started_at: instant("When the attempt started"),
  finished_at: instant("When the attempt ended"),
  duration_ms: whole("Duration in milliseconds", 120),
  status_code: whole("HTTP status of the response; null without a response", 200).orNull(),
  error: text("Error message", "connection refused").orNull(),
  address: text("The IP address of the endpoint", "203.0.113.7").orNull(),
  response_head: text("The first bytes of the response", "ok"),
});

const serializeDeliveryAttempt = attempt.serializer((attempt: Attempt) => ({
  attempt: attempt.attempt,
  started_at: isoText(attempt.startedAt),
  finished_at: isoText(attempt.startedAt + attempt.durationMs),
  duration_ms: attempt.durationMs,
  status_code: attempt.statusCode,
  error: attempt.error,
  address: attempt.address,
  response_head: attempt.responseHead,
}));

/** A delivery with every attempt, oldest first. */
export const delivery = record("Delivery", {
  id: text("The delivery's ID", "WH_1795230000000_k3v9x"),
  partner_id: id("PARTNER", "The partner"),
  event: enumOf(WEBHOOK_EVENTS, "The event"),
  subject: text(
    "What the payload is about: the component, appliance or service event, and its property; null if it names none",
    "Compressor · Maple Court",
  ).orNull(),
  request_id: text(
    "ID of the request that caused the delivery; null if there was none",
    "tJgQOWERr73VMZbC",
  ).orNull(),
  status: enumOf(
    DELIVERY_STATUSES,
    "Whether it is pending, was delivered, or failed in all attempts",
    "delivered",
  ),
  created_at: instant("When the delivery was created"),
  next_attempt_at: instant("When the next attempt is scheduled").orNull(),
  finished_at: instant("When it was delivered or failed").orNull(),
  attempt_count: whole("Attempts made", 1),
  attempts: list("The attempts, oldest first", attempt),
});
export type DeliveryJson = JsonOf<typeof delivery>;

export const serializeDelivery = delivery.serializer(({ delivery, attempts }: LoggedDelivery) => ({
  id: delivery.id,
  partner_id: delivery.partnerId,
  event: delivery.event as WebhookEvent,
  subject: subjectOf(delivery.body),
  request_id: delivery.requestId,
  status: delivery.status,
  created_at: isoText(delivery.createdAt),
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  finished_at: isoOrNull(delivery.finishedAt),
  attempt_count: delivery.attempts,
  attempts: attempts.map(serializeDeliveryAttempt),
}));

/** Returns what a payload is about, in words; null where it has only IDs. */
function subjectOf(body: string): string | null {
  const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
  const [thing, place] = SUBJECT_FIELDS.map((fields) => fields.map((field) => data[field]).find(isName));
  return [thing, place].filter(isName).join(" · ") || null;
}

/** The fields of payloads that name a thing, and its place: the first that a payload has. */
const SUBJECT_FIELDS = [
  ["component_name", "event_type", "type_id", "metric"],
  ["property_name", "address"],
] as const;
const isName = (value: unknown): value is string => typeof value === "string" && value !== "";

const deliveryWithPartner = delivery.and({ partner_name: partnerName });
export const serializeDeliveryWithPartner = deliveryWithPartner.serializer(
  (logged: LoggedDelivery, name: string) => ({
    ...serializeDelivery(logged),
    partner_name: name,
  }),
);
export const deliveriesPage = unscopedPage("deliveries", deliveryWithPartner);
export type PartnerDeliveryPageJson = JsonOf<typeof deliveriesPage>;

/** A page of a partner's own deliveries. */
export const ownDeliveriesPage = page("deliveries", delivery);
export type DeliveryPageJson = JsonOf<typeof ownDeliveriesPage>;

/** A single delivery with its payload. */
export const fullDelivery = delivery.and({
  payload: anyObject("The payload") as SchemaType<unknown>,
});
export type FullDeliveryJson = JsonOf<typeof fullDelivery>;

export const serializeFullDelivery = fullDelivery.serializer((logged: LoggedDelivery) => ({
  ...serializeDelivery(logged),
  payload: JSON.parse(logged.delivery.body) as unknown,
}));

export const deliverySignature = object({
  id: delivery.fields.id,
  signed_at: instant("The signed timestamp; each attempt has its own"),
  headers: mapOf("The request headers of an attempt at that time, by name", text("The header's value")),
});
export type DeliverySignatureJson = JsonOf<typeof deliverySignature>;

export const serializeDeliverySignature = deliverySignature.serializer(
  (id: string, at: Instant, headers: Record<string, string>) => ({ id, signed_at: isoText(at), headers }),
);

export const resent = object({
  id: delivery.fields.id,
  status: enumOf(["pending"], "Always pending: the delivery is queued again"),
  attempts: whole("Attempts made so far", 3),
  partner_id: delivery.fields.partner_id,
});

/** Serializes a delivery that is queued again. */
export const serializeResentDelivery = resent.serializer(
  (delivery: Pick<Delivery, "id" | "partnerId" | "attempts">) => ({
    id: delivery.id,
    status: "pending",
    attempts: delivery.attempts,
    partner_id: delivery.partnerId,
  }),
);

/** A delivery in a response to its partner. */
export const ownResentReply = forPartner(resent);

export const bulkResend = object({
  partner_id: delivery.fields.partner_id,
  from: instant("Start of the time range, inclusive"),
  to: instant("End of the time range, exclusive"),
  status: enumOf(["failed"], "Always failed: only failed deliveries are resent"),
  error: text("The error of the last attempt of those that are resent; null for any", "HTTP 500").orNull(),
  matched: whole("Failed deliveries in the time range", 12),
  resent: whole("Deliveries that are queued again", 12),
});

const failureGroup = object({
  partner_id: delivery.fields.partner_id,
  partner_name: partnerName,
  url: text("The partner's webhook URL", "https://example.com/webhooks").orNull(),
  error: text("The error of the last attempt; empty if it is not known", "HTTP 500"),
  failed: whole(`Failed deliveries in the period, counted up to ${MAX_GROUP_COUNT}`, 12),
  first_at: instant("When the oldest of those that are counted was created"),
  last_at: instant("When the newest was created"),
});
export type FailureGroupJson = JsonOf<typeof failureGroup>;
export const failureGroupsReply = object({
  groups: list("At most 100 groups, largest first", failureGroup),
});
export type FailureGroupsJson = JsonOf<typeof failureGroupsReply>;

type EndpointFailures = FailureGroup & { partnerName: string; url: string | null };
export const serializeFailureGroups = failureGroupsReply.serializer(
  (groups: readonly EndpointFailures[]) => ({
    groups: groups.map((group) => ({
      partner_id: group.partnerId,
      partner_name: group.partnerName,
      url: group.url,
      error: group.error,
      failed: group.count,
      first_at: isoText(group.firstAt),
      last_at: isoText(group.lastAt),
    })),
  }),
);

type Resent = { matched: number; resent: number };
export const serializeBulkResend = bulkResend.serializer(
  (window: FailedDeliveryWindow, { matched, resent }: Resent) => ({
    partner_id: window.partnerId,
    from: isoText(window.from),
    to: isoText(window.to),
    status: "failed",
    error: window.error ?? null,
    matched,
    resent,
  }),
);

export const bulkResendReply = bulkResend.and({
  dry_run: flag("Whether the deliveries were only counted", false),
});

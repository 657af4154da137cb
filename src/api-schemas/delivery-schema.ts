import {
  type Attempt,
  type Delivery,
  type FailedDeliveryWindow,
  type FailureGroup,
  type LoggedDelivery,
  MAX_GROUP_COUNT,
} from "../domain/delivery.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, type WebhookEvent } from "../domain/partner.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf, SchemaType } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  anyObjectSchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  mapSchema,
  objectSchema,
  recordSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema, partnerName, schemaWithPartner, unscopedPageSchema } from "./paging-schema.ts";

/* The delivery log as JSON: the same from `/admin` and from a command's `--json`. */

const attempt = recordSchema("DeliveryAttempt", {
  attempt: wholeNumberSchema("Number of the attempt, counted over all cycles", 1),
  started_at: instantSchema("When the attempt started"),
  finished_at: instantSchema("When the attempt ended"),
  duration_ms: wholeNumberSchema("Duration in milliseconds", 120),
  status_code: wholeNumberSchema("HTTP status of the response; null without a response", 200).orNull(),
  error: textSchema("Error message", "connection refused").orNull(),
  address: textSchema("The IP address of the endpoint", "203.0.113.7").orNull(),
  response_head: textSchema("The first bytes of the response", "ok"),
});

const serializeDeliveryAttempt = attempt.serializer((attempt: Attempt) => ({
  attempt: attempt.attempt,
  started_at: isoTextOfInstant(attempt.startedAt),
  finished_at: isoTextOfInstant(attempt.startedAt + attempt.durationMs),
  duration_ms: attempt.durationMs,
  status_code: attempt.statusCode,
  error: attempt.error,
  address: attempt.address,
  response_head: attempt.responseHead,
}));

/** A delivery with every attempt, oldest first. */
export const delivery = recordSchema("Delivery", {
  id: textSchema("The delivery's ID", "WH_1795230000000_k3v9x"),
  partner_id: idSchema("PARTNER", "The partner"),
  event: enumSchema(WEBHOOK_EVENTS, "The event"),
  subject: textSchema(
    "What the payload is about: the component, appliance or service event, and its property; null if it names none",
    "Compressor · Maple Court",
  ).orNull(),
  request_id: textSchema(
    "ID of the request that caused the delivery; null if there was none",
    "tJgQOWERr73VMZbC",
  ).orNull(),
  status: enumSchema(
    DELIVERY_STATUSES,
    "Whether it is pending, was delivered, or failed in all attempts",
    "delivered",
  ),
  created_at: instantSchema("When the delivery was created"),
  next_attempt_at: instantSchema("When the next attempt is scheduled").orNull(),
  finished_at: instantSchema("When it was delivered or failed").orNull(),
  attempt_count: wholeNumberSchema("Attempts made", 1),
  attempts: listSchema("The attempts, oldest first", attempt),
});
export type DeliveryJson = JsonOf<typeof delivery>;

export const serializeDelivery = delivery.serializer(({ delivery, attempts }: LoggedDelivery) => ({
  id: delivery.id,
  partner_id: delivery.partnerId,
  event: delivery.event as WebhookEvent,
  subject: subjectOf(delivery.body),
  request_id: delivery.requestId,
  status: delivery.status,
  created_at: isoTextOfInstant(delivery.createdAt),
  next_attempt_at: jsonInstantOrNull(delivery.nextAttemptAt),
  finished_at: jsonInstantOrNull(delivery.finishedAt),
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
export const deliveriesPage = unscopedPageSchema("deliveries", deliveryWithPartner);
export type PartnerDeliveryPageJson = JsonOf<typeof deliveriesPage>;

/** A page of a partner's own deliveries. */
export const ownDeliveriesPage = pageSchema("deliveries", delivery);
export type DeliveryPageJson = JsonOf<typeof ownDeliveriesPage>;

/** A single delivery with its payload. */
export const fullDelivery = delivery.and({
  payload: anyObjectSchema("The payload") as SchemaType<unknown>,
});
export type FullDeliveryJson = JsonOf<typeof fullDelivery>;

export const serializeFullDelivery = fullDelivery.serializer((logged: LoggedDelivery) => ({
  ...serializeDelivery(logged),
  payload: JSON.parse(logged.delivery.body) as unknown,
}));

export const deliverySignature = objectSchema({
  id: delivery.fields.id,
  signed_at: instantSchema("The signed timestamp; each attempt has its own"),
  headers: mapSchema(
    "The request headers of an attempt at that time, by name",
    textSchema("The header's value"),
  ),
});
export type DeliverySignatureJson = JsonOf<typeof deliverySignature>;

export const serializeDeliverySignature = deliverySignature.serializer(
  (id: string, at: Instant, headers: Record<string, string>) => ({
    id,
    signed_at: isoTextOfInstant(at),
    headers,
  }),
);

export const resent = objectSchema({
  id: delivery.fields.id,
  status: enumSchema(["pending"], "Always pending: the delivery is queued again"),
  attempts: wholeNumberSchema("Attempts made so far", 3),
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
export const ownResentReply = schemaWithPartner(resent);

export const bulkResend = objectSchema({
  partner_id: delivery.fields.partner_id,
  from: instantSchema("Start of the time range, inclusive"),
  to: instantSchema("End of the time range, exclusive"),
  status: enumSchema(["failed"], "Always failed: only failed deliveries are resent"),
  error: textSchema(
    "The error of the last attempt of those that are resent; null for any",
    "HTTP 500",
  ).orNull(),
  matched: wholeNumberSchema("Failed deliveries in the time range", 12),
  resent: wholeNumberSchema("Deliveries that are queued again", 12),
});

const failureGroup = objectSchema({
  partner_id: delivery.fields.partner_id,
  partner_name: partnerName,
  url: textSchema("The partner's webhook URL", "https://example.com/webhooks").orNull(),
  error: textSchema("The error of the last attempt; empty if it is not known", "HTTP 500"),
  failed: wholeNumberSchema(`Failed deliveries in the period, counted up to ${MAX_GROUP_COUNT}`, 12),
  first_at: instantSchema("When the oldest of those that are counted was created"),
  last_at: instantSchema("When the newest was created"),
});
export type FailureGroupJson = JsonOf<typeof failureGroup>;
export const failureGroupsReply = objectSchema({
  groups: listSchema("At most 100 groups, largest first", failureGroup),
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
      first_at: isoTextOfInstant(group.firstAt),
      last_at: isoTextOfInstant(group.lastAt),
    })),
  }),
);

type Resent = { matched: number; resent: number };
export const serializeBulkResend = bulkResend.serializer(
  (window: FailedDeliveryWindow, { matched, resent }: Resent) => ({
    partner_id: window.partnerId,
    from: isoTextOfInstant(window.from),
    to: isoTextOfInstant(window.to),
    status: "failed",
    error: window.error ?? null,
    matched,
    resent,
  }),
);

export const bulkResendReply = bulkResend.and({
  dry_run: flagSchema("Whether the deliveries were only counted", false),
});

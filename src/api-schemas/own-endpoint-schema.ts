import type { WebhookEndpoint } from "../domain/partner.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import { instantSchema, objectSchema, textListSchema, textSchema } from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

/* A partner's webhook endpoint as the partner itself sees it. Its operator sets it. */

const ownEndpoint = objectSchema({
  url: textSchema(
    "Where events are sent; null if your operator has not set it",
    "https://acme.example/webhooks",
  ).orNull(),
  events: textListSchema("The events that are sent; null for all", ["component.critical"]).orNull(),
  failing_since: instantSchema(
    "When the current series of failures started; null if the last delivery succeeded",
  ).orNull(),
  paused_at: instantSchema("When deliveries were paused because the endpoint is unavailable").orNull(),
  last_error: textSchema("The error of the last failed attempt", "answered 503").orNull(),
});
export const ownEndpointReply = schemaWithPartner(ownEndpoint);
export type OwnEndpointJson = JsonOf<typeof ownEndpointReply>;

export const serializeOwnEndpoint = ownEndpoint.serializer((endpoint: WebhookEndpoint | undefined) => ({
  url: endpoint?.url ?? null,
  events: endpoint?.events ?? null,
  failing_since: jsonInstantOrNull(endpoint?.failingSince ?? null),
  paused_at: jsonInstantOrNull(endpoint?.pausedAt ?? null),
  last_error: endpoint?.lastError ?? null,
}));

import type { WebhookEndpoint } from "../domain/partner.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import { instant, object, text, textList } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { forPartner } from "./paging-schema.ts";

/* A partner's webhook endpoint as the partner itself sees it. Its operator sets it. */

const ownEndpoint = object({
  url: text(
    "Where events are sent; null if your operator has not set it",
    "https://acme.example/webhooks",
  ).orNull(),
  events: textList("The events that are sent; null for all", ["component.critical"]).orNull(),
  failing_since: instant(
    "When the current series of failures started; null if the last delivery succeeded",
  ).orNull(),
  paused_at: instant("When deliveries were paused because the endpoint is unavailable").orNull(),
  last_error: text("The error of the last failed attempt", "answered 503").orNull(),
});
export const ownEndpointReply = forPartner(ownEndpoint);
export type OwnEndpointJson = JsonOf<typeof ownEndpointReply>;

export const serializeOwnEndpoint = ownEndpoint.serializer((endpoint: WebhookEndpoint | undefined) => ({
  url: endpoint?.url ?? null,
  events: endpoint?.events ?? null,
  failing_since: isoOrNull(endpoint?.failingSince ?? null),
  paused_at: isoOrNull(endpoint?.pausedAt ?? null),
  last_error: endpoint?.lastError ?? null,
}));

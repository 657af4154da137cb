import type {
  Partner,
  PartnerCredentials,
  PartnerOverview,
  PartnerSettings,
  PartnerUsage,
  WebhookEndpoint,
} from "../domain/partner.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { unscopedPageSchema } from "./paging-schema.ts";

/* Partners as JSON: the same from `/admin` and from a command's `--json`. */

const partnerId = idSchema("PARTNER", "The partner's ID");
const name = textSchema("The partner's company name", "Acme Insurance");

/** A partner in a list, with the status of its webhook endpoint. */
export const partner = objectSchema({
  partner_id: partnerId,
  name,
  enabled: flagSchema("Whether its credentials are accepted"),
  daily_budget: wholeNumberSchema("Daily call limit, per UTC day", 1000),
  created_at: instantSchema("When the partner was created"),
  webhook_url: textSchema("The webhook endpoint", "https://receiver.example/hooks").orNull(),
  webhook_events: textListSchema("The events sent to the endpoint; null for all", [
    "component.critical",
  ]).orNull(),
  webhook_concurrency: wholeNumberSchema(
    "Maximum concurrent deliveries; null for the server's setting",
    4,
  ).orNull(),
  webhook_paused_at: instantSchema(
    "When deliveries were paused because the endpoint is unavailable",
  ).orNull(),
  webhook_failing_since: instantSchema("When the current series of failures started").orNull(),
  webhook_last_error: textSchema("The latest error", "connection refused").orNull(),
  webhook_secret_rotates_at: instantSchema("When the next secret becomes active").orNull(),
});
export type PartnerJson = JsonOf<typeof partner>;

export const serializePartner = partner.serializer(
  (partner: Partner, endpoint: WebhookEndpoint | undefined) => ({
    partner_id: partner.id,
    name: partner.name,
    enabled: partner.enabled,
    daily_budget: partner.dailyBudget,
    created_at: isoTextOfInstant(partner.createdAt),
    webhook_url: endpoint?.url ?? null,
    webhook_events: endpoint?.events ?? null,
    webhook_concurrency: endpoint?.concurrency ?? null,
    webhook_paused_at: jsonInstantOrNull(endpoint?.pausedAt ?? null),
    webhook_failing_since: jsonInstantOrNull(endpoint?.failingSince ?? null),
    webhook_last_error: endpoint?.lastError ?? null,
    webhook_secret_rotates_at: jsonInstantOrNull(endpoint?.rotatesAt ?? null),
  }),
);
export const partnersPage = unscopedPageSchema("partners", partner);
export type PartnerPageJson = JsonOf<typeof partnersPage>;

const clientId = textSchema("The OAuth client's ID", "svc_client_aa9eabe673e3f607cf5e5f74");

/** A single partner with the size of its portfolio and its outbox. */
export const fullPartner = partner.and({
  client_id: clientId.orNull(),
  properties: wholeNumberSchema("Number of properties", 12),
  appliances: wholeNumberSchema("Number of appliances", 140),
  components: wholeNumberSchema("Number of components", 900),
  photo_bytes: wholeNumberSchema("Size of all photos, in bytes", 52_428_800),
  deliveries_pending: wholeNumberSchema("Pending deliveries", 0),
  deliveries_failed: wholeNumberSchema("Deliveries that failed in all attempts", 0),
});
export type FullPartnerJson = JsonOf<typeof fullPartner>;

export const serializeFullPartner = fullPartner.serializer((overview: PartnerOverview) => ({
  ...serializePartner(overview.partner, overview.endpoint),
  client_id: overview.clientId ?? null,
  properties: overview.properties,
  appliances: overview.appliances,
  components: overview.components,
  photo_bytes: overview.photoBytes,
  deliveries_pending: overview.deliveriesPending,
  deliveries_failed: overview.deliveriesFailed,
}));

const clientSecret = textSchema("The OAuth client's secret", "svc_secret_…");
const webhookSecret = textSchema("The secret that signs webhooks", "whsec_…");

const apiKey = textSchema("The API key", "svc_live_…");

export const newApiKeyReply = objectSchema({ partner_id: partnerId, api_key: apiKey });

/** Serializes a new API key, which is shown only once. */
export const serializeNewApiKey = newApiKeyReply.serializer((partnerId: string, apiKey: string) => ({
  partner_id: partnerId,
  api_key: apiKey,
}));

export const credentials = objectSchema({
  partner_id: partnerId,
  name,
  api_key: apiKey,
  client_id: clientId,
  client_secret: clientSecret,
  webhook_secret: webhookSecret,
});

/** Serializes a new partner's credentials, which are shown only once. */
export const serializeCredentials = credentials.serializer((partner: Partner, made: PartnerCredentials) => ({
  partner_id: partner.id,
  name: partner.name,
  api_key: made.apiKey,
  client_id: made.clientId,
  client_secret: made.clientSecret,
  webhook_secret: made.webhookSecret,
}));

export const newClientSecretReply = objectSchema({
  partner_id: partnerId,
  client_id: clientId,
  client_secret: clientSecret,
});

/** Serializes a new client secret, which is shown only once. */
export const serializeNewClientSecret = newClientSecretReply.serializer(
  (partnerId: string, made: { clientId: string; clientSecret: string }) => ({
    partner_id: partnerId,
    client_id: made.clientId,
    client_secret: made.clientSecret,
  }),
);

export const newWebhookSecretReply = objectSchema({
  partner_id: partnerId,
  webhook_secret: webhookSecret,
  takes_effect_at: instantSchema(
    "When the new secret becomes active; until then the previous secret also signs",
  ),
});

/** Serializes a new webhook secret, which is shown only once. */
export const serializeNewWebhookSecret = newWebhookSecretReply.serializer(
  (partnerId: string, made: { secret: string; takesEffectAt: Instant }) => ({
    partner_id: partnerId,
    webhook_secret: made.secret,
    takes_effect_at: isoTextOfInstant(made.takesEffectAt),
  }),
);

export const usage = objectSchema({
  partner_id: partnerId,
  name,
  month: textSchema("The month in UTC", "2026-11"),
  calls: wholeNumberSchema("Calls in the month", 1204),
  billable_units: wholeNumberSchema("Current number of units, without demo properties", 240),
  days: listSchema(
    "The days with calls, oldest first",
    objectSchema({ day: daySchema("The date in UTC"), calls: wholeNumberSchema("Calls on that day", 310) }),
  ),
});
export type UsageJson = JsonOf<typeof usage>;

export const serializePartnerUsage = usage.serializer((used: PartnerUsage) => ({
  partner_id: used.partnerId,
  name: used.name,
  month: used.month,
  calls: used.calls,
  billable_units: used.billableUnits,
  days: used.days.map(({ day, calls }) => ({ day, calls })),
}));

export const usagePage = unscopedPageSchema("partners", usage);
export type UsagePageJson = JsonOf<typeof usagePage>;

export const webhookTest = objectSchema({
  id: textSchema("The delivery's ID", "WH_1795230000000_k3v9x"),
  delivery_id: textSchema("The delivery's ID", "WH_1795230000000_k3v9x"),
  event: enumSchema(["webhook.test"], "The event"),
  status: enumSchema(["pending"], "Always pending: the event is sent after the response"),
  partner_id: partnerId,
});

export const serializeWebhookTest = webhookTest.serializer((id: string, partnerId: string) => ({
  id,
  delivery_id: id,
  event: "webhook.test",
  status: "pending",
  partner_id: partnerId,
}));

const endpoint = objectSchema({
  partner_id: partnerId,
  webhook_url: partner.fields.webhook_url,
  events: partner.fields.webhook_events,
  concurrency: partner.fields.webhook_concurrency,
});

type EndpointSettings = Required<Omit<PartnerSettings, "name" | "dailyBudget">>;

/** Serializes the settings of a partner's webhook endpoint. */
export const serializeWebhookEndpoint = endpoint.serializer((partnerId: string, set: EndpointSettings) => ({
  partner_id: partnerId,
  webhook_url: set.webhookUrl,
  events: set.webhookEvents,
  concurrency: set.webhookConcurrency,
}));

export const probe = objectSchema({
  partner_id: partnerId,
  name,
  webhook_url: textSchema("The webhook endpoint", "https://receiver.example/hooks"),
  verdict: enumSchema<Probe["verdict"]>(
    ["accepts", "verifies", "unclear", "unreachable"],
    "The endpoint's reaction to a delivery with an invalid signature",
    "verifies",
  ),
  accepts_without_verifying: flagSchema("Whether the endpoint accepted the delivery", false),
  status_code: wholeNumberSchema("HTTP status of the response; null without a response", 401).orNull(),
  error: textSchema("Why there was no response", "connection refused").orNull(),
  duration_ms: wholeNumberSchema("Duration in milliseconds", 120),
});
export type ProbeJson = JsonOf<typeof probe>;

/** The reaction of a webhook endpoint to a delivery with an invalid signature. */
type Probe = {
  partner: Partner;
  url: string;
  verdict: "accepts" | "verifies" | "unclear" | "unreachable";
  statusCode: number | null;
  error: string | null;
  durationMs: number;
};

export const serializeEndpointProbe = probe.serializer((probe: Probe) => ({
  partner_id: probe.partner.id,
  name: probe.partner.name,
  webhook_url: probe.url,
  verdict: probe.verdict,
  accepts_without_verifying: probe.verdict === "accepts",
  status_code: probe.statusCode,
  error: probe.error,
  duration_ms: probe.durationMs,
}));

export const announcedState = objectSchema({
  partner_id: partnerId,
  critical: wholeNumberSchema("Number of CRITICAL components", 12),
  warning: wholeNumberSchema("Number of WARNING components", 30),
  queued: wholeNumberSchema("Deliveries queued, or that would be queued", 42),
  dry_run: flagSchema("Whether the deliveries were only counted", false),
});
export type AnnouncedStateJson = JsonOf<typeof announcedState>;

/** Serializes the result of sending the current tiers to an endpoint that was set later. */
export const serializeAnnouncedState = announcedState.serializer(
  (partnerId: string, state: { critical: number; warning: number; queued: number }, dryRun: boolean) => ({
    partner_id: partnerId,
    critical: state.critical,
    warning: state.warning,
    queued: state.queued,
    dry_run: dryRun,
  }),
);

const purged = objectSchema({
  partner_id: partnerId,
  deleted_rows: wholeNumberSchema("Number of deleted rows", 4210),
  deleted_files: wholeNumberSchema("Number of deleted photo files", 7),
});

/** Serializes the result of deleting a partner with all its data. */
export const serializePurgedPartner = purged.serializer(
  (partnerId: string, deleted: { rows: number; files: number }) => ({
    partner_id: partnerId,
    deleted_rows: deleted.rows,
    deleted_files: deleted.files,
  }),
);

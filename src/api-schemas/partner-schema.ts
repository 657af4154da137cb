import type {
  Partner,
  PartnerCredentials,
  PartnerOverview,
  PartnerSettings,
  PartnerUsage,
  WebhookEndpoint,
} from "../domain/partner.ts";
import { type Instant, isoText } from "../domain/time.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import {
  day,
  enumOf,
  flag,
  id,
  instant,
  list,
  object,
  text,
  textList,
  whole,
} from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { unscopedPage } from "./paging-schema.ts";

/* Partners as JSON: the same from `/admin` and from a command's `--json`. */

const partnerId = id("PARTNER", "The partner's ID");
const name = text("The partner's company name", "Acme Insurance");

/** A partner in a list, with the status of its webhook endpoint. */
export const partner = object({
  partner_id: partnerId,
  name,
  enabled: flag("Whether its credentials are accepted"),
  daily_budget: whole("Daily call limit, per UTC day", 1000),
  created_at: instant("When the partner was created"),
  webhook_url: text("The webhook endpoint", "https://receiver.example/hooks").orNull(),
  webhook_events: textList("The events sent to the endpoint; null for all", ["component.critical"]).orNull(),
  webhook_concurrency: whole("Maximum concurrent deliveries; null for the server's setting", 4).orNull(),
  webhook_paused_at: instant("When deliveries were paused because the endpoint is unavailable").orNull(),
  webhook_failing_since: instant("When the current series of failures started").orNull(),
  webhook_last_error: text("The latest error", "connection refused").orNull(),
  webhook_secret_rotates_at: instant("When the next secret becomes active").orNull(),
});
export type PartnerJson = JsonOf<typeof partner>;

export const serializePartner = partner.serializer(
  (partner: Partner, endpoint: WebhookEndpoint | undefined) => ({
    partner_id: partner.id,
    name: partner.name,
    enabled: partner.enabled,
    daily_budget: partner.dailyBudget,
    created_at: isoText(partner.createdAt),
    webhook_url: endpoint?.url ?? null,
    webhook_events: endpoint?.events ?? null,
    webhook_concurrency: endpoint?.concurrency ?? null,
    webhook_paused_at: isoOrNull(endpoint?.pausedAt ?? null),
    webhook_failing_since: isoOrNull(endpoint?.failingSince ?? null),
    webhook_last_error: endpoint?.lastError ?? null,
    webhook_secret_rotates_at: isoOrNull(endpoint?.rotatesAt ?? null),
  }),
);
export const partnersPage = unscopedPage("partners", partner);
export type PartnerPageJson = JsonOf<typeof partnersPage>;

const clientId = text("The OAuth client's ID", "svc_client_aa9eabe673e3f607cf5e5f74");

/** A single partner with the size of its portfolio and its outbox. */
export const fullPartner = partner.and({
  client_id: clientId.orNull(),
  properties: whole("Number of properties", 12),
  appliances: whole("Number of appliances", 140),
  components: whole("Number of components", 900),
  photo_bytes: whole("Size of all photos, in bytes", 52_428_800),
  deliveries_pending: whole("Pending deliveries", 0),
  deliveries_failed: whole("Deliveries that failed in all attempts", 0),
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

const clientSecret = text("The OAuth client's secret", "svc_secret_…");
const webhookSecret = text("The secret that signs webhooks", "whsec_…");

const apiKey = text("The API key", "svc_live_…");

export const newApiKeyReply = object({ partner_id: partnerId, api_key: apiKey });

/** Serializes a new API key, which is shown only once. */
export const serializeNewApiKey = newApiKeyReply.serializer((partnerId: string, apiKey: string) => ({
  partner_id: partnerId,
  api_key: apiKey,
}));

export const credentials = object({
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

export const newClientSecretReply = object({
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

export const newWebhookSecretReply = object({
  partner_id: partnerId,
  webhook_secret: webhookSecret,
  takes_effect_at: instant("When the new secret becomes active; until then the previous secret also signs"),
});

/** Serializes a new webhook secret, which is shown only once. */
export const serializeNewWebhookSecret = newWebhookSecretReply.serializer(
  (partnerId: string, made: { secret: string; takesEffectAt: Instant }) => ({
    partner_id: partnerId,
    webhook_secret: made.secret,
    takes_effect_at: isoText(made.takesEffectAt),
  }),
);

export const usage = object({
  partner_id: partnerId,
  name,
  month: text("The month in UTC", "2026-11"),
  calls: whole("Calls in the month", 1204),
  billable_units: whole("Current number of units, without demo properties", 240),
  days: list(
    "The days with calls, oldest first",
    object({ day: day("The date in UTC"), calls: whole("Calls on that day", 310) }),
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

export const usagePage = unscopedPage("partners", usage);
export type UsagePageJson = JsonOf<typeof usagePage>;

export const webhookTest = object({
  id: text("The delivery's ID", "WH_1795230000000_k3v9x"),
  delivery_id: text("The delivery's ID", "WH_1795230000000_k3v9x"),
  event: enumOf(["webhook.test"], "The event"),
  status: enumOf(["pending"], "Always pending: the event is sent after the response"),
  partner_id: partnerId,
});

export const serializeWebhookTest = webhookTest.serializer((id: string, partnerId: string) => ({
  id,
  delivery_id: id,
  event: "webhook.test",
  status: "pending",
  partner_id: partnerId,
}));

const endpoint = object({
  partner_id: partnerId,
  webhook_url: partner.fields.webhook_url,
  events: partner.fields.webhook_events,
  concurrency: partner.fields.webhook_concurrency,
});

type EndpointSettings = Required<Omit<PartnerSettings, "dailyBudget">>;

/** Serializes the settings of a partner's webhook endpoint. */
export const serializeWebhookEndpoint = endpoint.serializer((partnerId: string, set: EndpointSettings) => ({
  partner_id: partnerId,
  webhook_url: set.webhookUrl,
  events: set.webhookEvents,
  concurrency: set.webhookConcurrency,
}));

export const probe = object({
  partner_id: partnerId,
  name,
  webhook_url: text("The webhook endpoint", "https://receiver.example/hooks"),
  verdict: enumOf<Probe["verdict"]>(
    ["accepts", "verifies", "unclear", "unreachable"],
    "The endpoint's reaction to a delivery with an invalid signature",
    "verifies",
  ),
  accepts_without_verifying: flag("Whether the endpoint accepted the delivery", false),
  status_code: whole("HTTP status of the response; null without a response", 401).orNull(),
  error: text("Why there was no response", "connection refused").orNull(),
  duration_ms: whole("Duration in milliseconds", 120),
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

export const announcedState = object({
  partner_id: partnerId,
  critical: whole("Number of CRITICAL components", 12),
  warning: whole("Number of WARNING components", 30),
  queued: whole("Deliveries queued, or that would be queued", 42),
  dry_run: flag("Whether the deliveries were only counted", false),
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

const purged = object({
  partner_id: partnerId,
  deleted_rows: whole("Number of deleted rows", 4210),
  deleted_files: whole("Number of deleted photo files", 7),
});

/** Serializes the result of deleting a partner with all its data. */
export const serializePurgedPartner = purged.serializer(
  (partnerId: string, deleted: { rows: number; files: number }) => ({
    partner_id: partnerId,
    deleted_rows: deleted.rows,
    deleted_files: deleted.files,
  }),
);

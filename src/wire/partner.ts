import type {
  Partner,
  PartnerCredentials,
  PartnerOverview,
  PartnerSettings,
  PartnerUsage,
  WebhookReceiver,
} from "../domain/partner.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { operatorsPage } from "./paging.ts";
import { day, enumOf, flag, id, instant, list, object, text, textList, whole } from "./schema/fields.ts";
import { isoOrNull } from "./schema/units.ts";

/* What operators read of partners: the same from `/admin` and from a command's `--json`. */

const partnerId = id("PARTNER", "The partner's id");
const name = text("The partner's company name", "Acme Insurance");

/** A partner in a list, with how its receiver is doing. */
export const partner = object({
  partner_id: partnerId,
  name,
  enabled: flag("Whether its credentials are accepted"),
  daily_budget: whole("Calls allowed a UTC day", 1000),
  created_at: instant("When the partner was made"),
  webhook_url: text("Where its webhooks go", "https://receiver.example/hooks").orNull(),
  webhook_events: textList("The events it is told of; null for all", ["component.critical"]).orNull(),
  webhook_concurrency: whole("Deliveries under way at a time; null for the setting's number", 4).orNull(),
  webhook_paused_at: instant("Since when deliveries wait for the receiver to come back").orNull(),
  webhook_failing_since: instant("When the first of the failures came that go on now").orNull(),
  webhook_last_error: text("What the latest failure was", "connection refused").orNull(),
  webhook_secret_rotates_at: instant("When the next secret takes over").orNull(),
});

export const partnerRecord = partner.serializer(
  (partner: Partner, receiver: WebhookReceiver | undefined) => ({
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
  }),
);
export const partnersPage = operatorsPage("partners", partner);

const clientId = text("The OAuth client's id", "svc_client_aa9eabe673e3f607cf5e5f74");

/** A partner alone, with the size of its portfolio and of its outbox. */
export const fullPartner = partner.and({
  client_id: clientId.orNull(),
  properties: whole("Number of properties", 12),
  appliances: whole("Number of appliances", 140),
  components: whole("Number of components", 900),
  deliveries_pending: whole("Deliveries that wait or are under way", 0),
  deliveries_failed: whole("Deliveries that used up their attempts", 0),
});

export const fullPartnerRecord = fullPartner.serializer((overview: PartnerOverview) => ({
  ...partnerRecord(overview.partner, overview.receiver),
  client_id: overview.clientId ?? null,
  properties: overview.properties,
  appliances: overview.appliances,
  components: overview.components,
  deliveries_pending: overview.deliveriesPending,
  deliveries_failed: overview.deliveriesFailed,
}));

const clientSecret = text("The OAuth client's secret", "svc_secret_…");
const webhookSecret = text("The secret that webhooks are signed with", "whsec_…");

const apiKey = text("The API key", "svc_live_…");

export const newApiKey = object({ partner_id: partnerId, api_key: apiKey });

/** A new API key, shown this once. */
export const newApiKeyRecord = newApiKey.serializer((partnerId: string, apiKey: string) => ({
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

/** A new partner's credentials, shown this once. */
export const credentialsRecord = credentials.serializer((partner: Partner, made: PartnerCredentials) => ({
  partner_id: partner.id,
  name: partner.name,
  api_key: made.apiKey,
  client_id: made.clientId,
  client_secret: made.clientSecret,
  webhook_secret: made.webhookSecret,
}));

export const newClientSecret = object({
  partner_id: partnerId,
  client_id: clientId,
  client_secret: clientSecret,
});

/** A new client secret, shown this once. */
export const newClientSecretRecord = newClientSecret.serializer(
  (partnerId: string, made: { clientId: string; clientSecret: string }) => ({
    partner_id: partnerId,
    client_id: made.clientId,
    client_secret: made.clientSecret,
  }),
);

export const newWebhookSecret = object({
  partner_id: partnerId,
  webhook_secret: webhookSecret,
  takes_effect_at: instant("When it signs alone; until then the one before signs too"),
});

/** A new webhook secret, shown this once. */
export const newWebhookSecretRecord = newWebhookSecret.serializer(
  (partnerId: string, made: { secret: string; takesEffectAt: Instant }) => ({
    partner_id: partnerId,
    webhook_secret: made.secret,
    takes_effect_at: toIso(made.takesEffectAt),
  }),
);

export const usage = object({
  partner_id: partnerId,
  name,
  month: text("The month in UTC", "2026-11"),
  calls: whole("Calls of the month", 1204),
  billable_units: whole("Units of the properties as they are now, without demonstrations", 240),
  days: list(
    "The days with calls, in order",
    object({ day: day("The day in UTC"), calls: whole("Calls of the day", 310) }),
  ),
});

export const usageRecord = usage.serializer((used: PartnerUsage) => ({
  partner_id: used.partnerId,
  name: used.name,
  month: used.month,
  calls: used.calls,
  billable_units: used.billableUnits,
  days: used.days.map(({ day, calls }) => ({ day, calls })),
}));

export const usagePage = operatorsPage("partners", usage);

export const webhookTest = object({
  id: text("The delivery's id", "WH_1795230000000_k3v9x"),
  delivery_id: text("The delivery's id", "WH_1795230000000_k3v9x"),
  event: enumOf(["webhook.test"], "The event that is sent"),
  status: enumOf(["pending"], "It is sent after the answer"),
  partner_id: partnerId,
});

export const webhookTestRecord = webhookTest.serializer((id: string, partnerId: string) => ({
  id,
  delivery_id: id,
  event: "webhook.test",
  status: "pending",
  partner_id: partnerId,
}));

const receiver = object({
  partner_id: partnerId,
  webhook_url: partner.fields.webhook_url,
  events: partner.fields.webhook_events,
  concurrency: partner.fields.webhook_concurrency,
});

type Receiver = Required<Omit<PartnerSettings, "dailyBudget">>;

/** Where a partner's webhooks go from now on. */
export const receiverRecord = receiver.serializer((partnerId: string, set: Receiver) => ({
  partner_id: partnerId,
  webhook_url: set.webhookUrl,
  events: set.webhookEvents,
  concurrency: set.webhookConcurrency,
}));

export const probe = object({
  partner_id: partnerId,
  name,
  webhook_url: text("The receiver", "https://receiver.example/hooks"),
  verdict: enumOf<Probe["verdict"]>(
    ["accepts", "verifies", "unclear", "unreachable"],
    "What it did with a delivery whose signature is wrong",
    "verifies",
  ),
  accepts_without_verifying: flag("Whether it took the delivery", false),
  status_code: whole("Its status; null without an answer", 401).orNull(),
  error: text("Why there was no answer, in words", "connection refused").orNull(),
  duration_ms: whole("How long it took, in milliseconds", 120),
});

/** What a receiver did with a delivery whose signature is wrong. */
type Probe = {
  partner: Partner;
  url: string;
  verdict: "accepts" | "verifies" | "unclear" | "unreachable";
  statusCode: number | null;
  error: string | null;
  durationMs: number;
};

export const probeRecord = probe.serializer((probe: Probe) => ({
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
  critical: whole("Components that are CRITICAL", 12),
  warning: whole("Components that are WARNING", 30),
  queued: whole("Deliveries that were queued, or would be", 42),
  dry_run: flag("Whether they were only counted", false),
});

/** The present state, queued to a receiver that was set later. */
export const announcedStateRecord = announcedState.serializer(
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
  deleted_rows: whole("Rows that were deleted", 4210),
  deleted_files: whole("Photos whose files were deleted", 7),
});

/** A partner that was deleted with all that it owned. */
export const purgedRecord = purged.serializer(
  (partnerId: string, deleted: { rows: number; files: number }) => ({
    partner_id: partnerId,
    deleted_rows: deleted.rows,
    deleted_files: deleted.files,
  }),
);

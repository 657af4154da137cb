import type { DeliveryStatus } from "./words.ts";

/* What the console reads of the administrators' operations. */

export type SessionForm = {
  signed_in: boolean;
  admin_id: string | null;
  name: string | null;
  csrf_token: string | null;
  expires_at: string | null;
  shows_credentials: boolean;
};

export type Paged = { total: number; limit: number; offset: number; page: number; pages: number };

export type CheckForm = {
  name: string;
  status: "ok" | "warn" | "fail";
  detail: string;
  remedy: string | null;
};

export type OverviewForm = {
  at: string;
  status: CheckForm["status"];
  version: string;
  uptime_s: number;
  checks: CheckForm[];
  properties: number;
  components: number;
  critical: number;
  warning: number;
  deliveries_pending: number;
};

export type PartnerForm = {
  partner_id: string;
  name: string;
  enabled: boolean;
  daily_budget: number;
  created_at: string;
  webhook_url: string | null;
  webhook_events: string[] | null;
  webhook_concurrency: number | null;
  webhook_paused_at: string | null;
  webhook_failing_since: string | null;
  webhook_last_error: string | null;
  webhook_secret_rotates_at: string | null;
};

export type FullPartnerForm = PartnerForm & {
  client_id: string | null;
  properties: number;
  appliances: number;
  components: number;
  deliveries_pending: number;
  deliveries_failed: number;
};

export type PartnerPageForm = Paged & { partners: PartnerForm[] };

/** What became of something long that was asked for a partner. */
export type TaskForm = {
  kind: "announce" | "purge";
  status: "running" | "done" | "failed";
  started_at: string;
  finished_at: string | null;
  error: string | null;
  counts: Readonly<Record<string, number>> | null;
};

export type AnnouncedForm = { critical: number; warning: number; queued: number };

export type ProbeForm = {
  partner_id: string;
  name: string;
  webhook_url: string;
  verdict: "accepts" | "verifies" | "unclear" | "unreachable";
  accepts_without_verifying: boolean;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
};

export type EmbedForm = {
  embed_id: string;
  property_id: string;
  property_name: string;
  partner_id: string;
  status: "active" | "expired" | "revoked";
  expires_at: string | null;
  revoked_at: string | null;
  views: number;
  last_viewed_at: string | null;
};
export type EmbedPageForm = Paged & { embeds: EmbedForm[] };
export type NewEmbedForm = { embed_id: string; token: string; url: string };

export type LoggedErrorForm = {
  at: string;
  message: string;
  reason: string | null;
  request_id: string | null;
};

export type UsageForm = {
  month: string;
  calls: number;
  billable_units: number;
  days: { day: string; calls: number }[];
};

export type PartnerUsageForm = UsageForm & { partner_id: string; name: string };
export type UsagePageForm = Paged & { partners: PartnerUsageForm[] };

export type AttemptForm = {
  attempt: number;
  started_at: string;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  address: string | null;
  response_head: string;
};

export type DeliveryForm = {
  id: string;
  partner_id: string;
  event: string;
  request_id: string | null;
  status: DeliveryStatus;
  created_at: string;
  next_attempt_at: string | null;
  finished_at: string | null;
  attempt_count: number;
  attempts: AttemptForm[];
};

export type FullDeliveryForm = DeliveryForm & { payload: unknown };
export type ListedDeliveryForm = DeliveryForm & { partner_name: string };
export type DeliveryPageForm = Paged & { deliveries: ListedDeliveryForm[] };
export type SignatureForm = { signed_at: string; headers: Readonly<Record<string, string>> };

export type JobForm = {
  name: string;
  pattern: string | null;
  running: boolean;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
  next_at: string | null;
};

export type SnapshotForm = {
  date: string;
  started_at: string;
  finished_at: string | null;
  model_version: string;
  components: number;
  changed: number;
  critical: number;
  warning: number;
  good: number;
  announced: number;
  held_back: number;
};
export type SnapshotPageForm = Paged & { snapshots: SnapshotForm[] };

export type AuditForm = {
  seq: number;
  actor: string;
  action: string;
  subject: string;
  detail: Readonly<Record<string, unknown>>;
  at: string;
};
export type AuditPageForm = Paged & { entries: AuditForm[] };

export type AdministratorPageForm = Paged & {
  administrators: { admin_id: string; name: string; revoked_at: string | null }[];
};

export type SettingForm = {
  key: string;
  value: string | null;
  is_secret: boolean;
  is_set: boolean;
  origin: string;
};
export type SettingsForm = { server: string; file: string | null; settings: SettingForm[] };

type MeasuresForm = {
  concordance: number | null;
  brier_skill: number | null;
  calibration_error: number | null;
  log_loss: number | null;
};

/** The year's forecast of two models, measured at its outcomes. */
export type ValidationForm = {
  from: string;
  to: string;
  components: number;
  failed: number;
  before: MeasuresForm;
  after: MeasuresForm;
  log_loss_difference: { mean: number; low: number; high: number } | null;
};

/** What a fit says of the stock, beside its proof. */
export type FitForm = {
  frailty_shape: number | null;
  evidence_strength: { condition: number; repairs: number };
  kinds: { component_def_id: string; life_factor: number; failures: number; expected: number }[];
  d_calibration: Readonly<
    Record<"before" | "after", { lives: number; shares: number[]; chi_squared: number }>
  >;
};

export type ModelVersionForm = FitForm & {
  model_version: string;
  in_use: boolean;
  applied_at: string;
  applied_by: string;
  proven: boolean;
  forced: boolean;
  failures: number;
  lives: number;
  validation: ValidationForm;
};

export type ModelForm = {
  model_version: string;
  plain_model: string;
  latest_check: {
    date: string;
    model_version: string;
    worse_than_plain: boolean;
    validation: ValidationForm;
  } | null;
  versions: ModelVersionForm[];
};

export type ProposalForm = {
  proposal_id: string | null;
  status: "none" | "running" | "ready" | "failed" | "applied";
  by: string | null;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
  model_version: string | null;
  made_at: string | null;
  better: boolean | null;
  failures: number | null;
  lives: number | null;
  validation: ValidationForm | null;
  fit: FitForm | null;
};

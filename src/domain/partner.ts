import type { Day, Instant } from "./time.ts";

export type Partner = {
  id: string;
  name: string;
  enabled: boolean;
  /** Calls allowed a UTC day. */
  dailyBudget: number;
  credentialGeneration: number;
  createdAt: Instant;
};

/** Where a partner's webhooks go. `secret` and `nextSecret` are encrypted. */
export type WebhookReceiver = {
  partnerId: string;
  url: string | null;
  secret: string;
  nextSecret: string | null;
  rotatesAt: Instant | null;
  events: string[] | null;
  /** Deliveries under way at the same time; null for the setting's number. */
  concurrency: number | null;
  revision: number;
  failures: number;
  failingSince: Instant | null;
  pausedAt: Instant | null;
  lastError: string | null;
};

/** The ten events a partner can be told of. */
export const WEBHOOK_EVENTS = [
  "component.critical",
  "component.warning",
  "component.recovered",
  "service_event.created",
  "property.created",
  "appliance.created",
  "sensor.received",
  "sensor.smart",
  "sensor.smart.processed",
  "webhook.test",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What has become of a delivery: it waits for an attempt, arrived, or used up its attempts. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The most deliveries to one partner at the same time that can be asked for. */
export const MAX_CONCURRENCY = 64;
export const MAX_DAILY_BUDGET = 1_000_000_000;

/** Whether webhooks can go there: an absolute http or https address without a user name or control characters. */
export function isReceiverUrl(text: string): boolean {
  // A parser takes them all the same, and leaves them out or escapes them; a database may keep another text than was given.
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

export type Administrator = {
  id: string;
  name: string;
  keyHash: string;
  createdAt: Instant;
  revokedAt: Instant | null;
};

/** What an operator may change of a partner; what is left out stays. */
export type PartnerSettings = {
  dailyBudget?: number;
  /** Null: no webhooks are sent. */
  webhookUrl?: string | null;
  /** Null: all events. */
  webhookEvents?: string[] | null;
  /** Null: the setting's number. */
  webhookConcurrency?: number | null;
};

/** Shown once and stored as hashes, but for the webhook secret, which is encrypted. */
export type PartnerCredentials = {
  apiKey: string;
  clientId: string;
  clientSecret: string;
  webhookSecret: string;
};

/** A month's calls and the billable units. */
export type PartnerUsage = {
  partnerId: string;
  name: string;
  /** `YYYY-MM`, in UTC. */
  month: string;
  calls: number;
  /** Days with calls, in order. */
  days: { day: Day; calls: number }[];
  /** Units of the properties as they are now, without demonstrations. */
  billableUnits: number;
};

/** A partner with its receiver, the size of its portfolio, and of its outbox. */
export type PartnerOverview = {
  partner: Partner;
  receiver: WebhookReceiver | undefined;
  clientId: string | undefined;
  properties: number;
  appliances: number;
  components: number;
  deliveriesPending: number;
  deliveriesFailed: number;
};

import type { Day, Instant } from "./time.ts";

export type Partner = {
  id: string;
  name: string;
  enabled: boolean;
  /** Calls allowed per UTC day. */
  dailyBudget: number;
  credentialGeneration: number;
  createdAt: Instant;
  /** A digest of the cost book; null without one. */
  costBook?: string | null;
};

/** A partner's webhook endpoint. `secret` and `nextSecret` are encrypted. */
export type WebhookEndpoint = {
  partnerId: string;
  url: string | null;
  secret: string;
  nextSecret: string | null;
  rotatesAt: Instant | null;
  /** Null for all events. */
  events: string[] | null;
  /** Concurrent deliveries; null for the number of the setting. */
  concurrency: number | null;
  revision: number;
  failures: number;
  failingSince: Instant | null;
  pausedAt: Instant | null;
  lastError: string | null;
};

/** The webhook events. */
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

/** The state of a delivery: waiting for an attempt, delivered, or out of attempts. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The highest number of concurrent deliveries that can be set for a partner. */
export const MAX_CONCURRENCY = 64;
export const MAX_DAILY_BUDGET = 1_000_000_000;

export type Administrator = {
  id: string;
  name: string;
  keyHash: string;
  createdAt: Instant;
  revokedAt: Instant | null;
};

/** Settings of a partner to change; absent ones stay. */
export type PartnerSettings = {
  name?: string;
  dailyBudget?: number;
  /** Null sends no webhooks. */
  webhookUrl?: string | null;
  /** Null sends all events. */
  webhookEvents?: string[] | null;
  /** Null uses the number of the setting. */
  webhookConcurrency?: number | null;
};

/** New credentials, shown once. They are stored as hashes; the webhook secret is stored encrypted. */
export type PartnerCredentials = {
  apiKey: string;
  clientId: string;
  clientSecret: string;
  webhookSecret: string;
};

/** A partner's calls of a month and billable units. */
export type PartnerUsage = {
  partnerId: string;
  name: string;
  /** `YYYY-MM`, in UTC. */
  month: string;
  calls: number;
  /** Days with calls, in order. */
  days: { day: Day; calls: number }[];
  /** Current units of all properties but demonstrations. */
  billableUnits: number;
};

/** A partner with its webhook endpoint and the sizes of its portfolio and outbox. */
export type PartnerOverview = {
  partner: Partner;
  endpoint: WebhookEndpoint | undefined;
  clientId: string | undefined;
  properties: number;
  appliances: number;
  components: number;
  /** The size of all photos. */
  photoBytes: number;
  deliveriesPending: number;
  deliveriesFailed: number;
};

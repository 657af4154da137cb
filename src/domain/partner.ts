import type { Instant } from "./time.ts";

export type Partner = {
  id: string;
  name: string;
  enabled: boolean;
  /** Calls allowed a UTC day. */
  dailyBudget: number;
  credentialGeneration: number;
  createdAt: Instant;
};

/** Where a partner's webhooks go. `secret` and `nextSecret` are sealed. */
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

/** Whether webhooks can go there: an absolute http or https address without a user name. */
export function isReceiverUrl(text: string): boolean {
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

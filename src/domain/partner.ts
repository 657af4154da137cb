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

export type Administrator = {
  id: string;
  name: string;
  keyHash: string;
  createdAt: Instant;
  revokedAt: Instant | null;
};

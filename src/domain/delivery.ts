import type { DeliveryStatus } from "./partner.ts";
import type { Instant } from "./time.ts";

/** A webhook delivery, as logged. */
export type Delivery = {
  id: string;
  partnerId: string;
  event: string;
  /** Deliveries with one order key, a component's, are sent in order; null for no order. */
  orderKey: string | null;
  /** The API request that caused it; null without one, such as for a snapshot. */
  requestId: string | null;
  /** The payload of every attempt. */
  body: string;
  status: DeliveryStatus;
  /** Attempts in total, and in the current cycle of three. */
  attempts: number;
  cycleAttempts: number;
  nextAttemptAt: Instant | null;
  createdAt: Instant;
  finishedAt: Instant | null;
  /** The error of the last attempt; null after a success. */
  lastError: string | null;
};

export type Attempt = {
  deliveryId: string;
  /** The number of the attempt, over all cycles and probes. */
  attempt: number;
  startedAt: Instant;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** The IP address of the connection; null without one. */
  address: string | null;
  /** The first bytes of the response. */
  responseHead: string;
};

/** A delivery with its attempts, oldest first. */
export type LoggedDelivery = { delivery: Delivery; attempts: Attempt[] };

/** A partner's failed deliveries created from `from` (inclusive) to `to` (exclusive): all, or those with one last error. */
export type FailedDeliveryWindow = { partnerId: string; from: Instant; to: Instant; error?: string };

/** Failed deliveries to one partner's endpoint with one last error. */
export type FailureGroup = {
  partnerId: string;
  /** Empty if it is not known. */
  error: string;
  /** Counted up to `MAX_GROUP_COUNT`. */
  count: number;
  firstAt: Instant;
  lastAt: Instant;
};

/** The most failed deliveries of a group that are counted. */
export const MAX_GROUP_COUNT = 10_000;

import type { DeliveryStatus } from "./partner.ts";
import type { Instant } from "./time.ts";

/** A webhook delivery as the log has it. */
export type Delivery = {
  id: string;
  partnerId: string;
  event: string;
  /** Deliveries of one component are sent in order. */
  orderKey: string | null;
  /** Of the call that made it; null when none did, as with a snapshot's. */
  requestId: string | null;
  /** The text that every attempt sends. */
  body: string;
  status: DeliveryStatus;
  /** Attempts ever made, and those of the cycle of three that runs now. */
  attempts: number;
  cycleAttempts: number;
  nextAttemptAt: Instant | null;
  createdAt: Instant;
  finishedAt: Instant | null;
};

export type Attempt = {
  deliveryId: string;
  /** Counted over all cycles and probes. */
  attempt: number;
  startedAt: Instant;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** The address that was connected to. */
  address: string | null;
  /** The first bytes of what was answered. */
  responseHead: string;
};

/** A delivery with its attempts, the oldest first. */
export type LoggedDelivery = { delivery: Delivery; attempts: Attempt[] };

/** A partner's failed deliveries that were made from `from` to before `to`. */
export type FailedWindow = { partnerId: string; from: Instant; to: Instant };

import type { Instant } from "../domain/time.ts";
import type { Timers } from "../event-loop/event-loop.ts";
import type { SendRequest, SendResult } from "./attempt-webhook-delivery.ts";
import type { DeliveryRepository } from "./webhook-delivery-repository.ts";
import { DEFAULT_PAUSE_LIMITS, type PauseLimits } from "./webhook-endpoint-health.ts";

/** The logger, in the shape of Pino. */
type DispatcherLog = Record<
  "info" | "warn" | "error",
  (fields: Record<string, unknown>, message: string) => void
>;

/** Leases on partners, where several servers share an outbox: one server at a time sends to a partner. */
export type DeliveryLeases = {
  /** Acquires or renews leases. Returns the epoch of each partner whose lease this server now holds. */
  acquire(partnerIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns whether this server holds the lease of that epoch for at least `needMs` more. */
  isHeld(partnerId: string, epoch: number, needMs: number): boolean;
  release(partnerIds: readonly string[]): Promise<void>;
  /** Registers the listener that is called with the partners whose leases this server has lost. */
  onLost(listener: (partnerIds: readonly string[]) => void): void;
};

export type DispatcherDeps = DeliveryRepository & {
  send(request: SendRequest): Promise<SendResult>;
  clock: () => Instant;
  timers: Timers;
  log: DispatcherLog;
  /** Undefined if no other server sends. */
  leases?: DeliveryLeases;
};

export type DispatcherOptions = {
  concurrencyPerPartner: number;
  /** For the whole exchange of an attempt. */
  timeoutMs: number;
  pauseLimits: PauseLimits;
  /** Between two probes of a paused endpoint. */
  probeIntervalMs: number;
  /** Between two scans of the outbox that nothing else has caused. */
  pollIntervalMs: number;
  /** The number of deliveries to fetch at once for a partner. Smaller while many partners have deliveries. */
  pageSize: number;
  /** The approximate number of deliveries in memory, with their bodies, for all partners together. */
  maxInMemory: number;
  /** The attempts that have a line in the log. */
  logged: "all" | "failed" | "none";
};

export const DISPATCHER_DEFAULTS: DispatcherOptions = {
  concurrencyPerPartner: 4,
  timeoutMs: 8_000,
  pauseLimits: DEFAULT_PAUSE_LIMITS,
  probeIntervalMs: 60_000,
  pollIntervalMs: 5_000,
  pageSize: 256,
  maxInMemory: 4_096,
  logged: "failed",
};

import type { Instant } from "../domain/time.ts";
import type { Timers } from "../event-loop.ts";
import type { AttemptResult, Endpoint, PendingDelivery, SendRequest, SendResult } from "./attempt.ts";
import { DEFAULT_PAUSE_LIMITS, type PauseLimits, type ReceiverHealth } from "./receiver-health.ts";

/** Pino's shape. */
export type DispatcherLog = Record<
  "info" | "warn" | "error",
  (fields: Record<string, unknown>, message: string) => void
>;

/** What the dispatcher needs of the store. test/webhooks/delivery-repository.test.ts holds every implementation to it. */
export type DeliveryRepository = {
  /**
   * Enabled partners with a due delivery. Due is a pending one planned for `now` or earlier, or beyond
   * LONGEST_DELAY_MS.
   */
  duePartners(now: Instant): Promise<string[]>;
  /**
   * The oldest due deliveries of the partner that are not excluded, in creation order; none of a disabled one. One
   * with an order key is left out while an older pending one with that key is planned for later.
   */
  due(
    partnerId: string,
    now: Instant,
    limit: number,
    excluding: ReadonlySet<string>,
  ): Promise<PendingDelivery[]>;
  /** The earliest planned attempt of all that is later than `now`. */
  nextDueAt(now: Instant): Promise<Instant | null>;
  /**
   * Where the partner's deliveries go, with the revision of the receiver that says so, or null while it has no receiver
   * or is disabled. Read for every attempt.
   */
  endpoint(partnerId: string): Promise<RevisedEndpoint | null>;
  /**
   * Logs the attempts and moves their deliveries on, all or none, in one durable transaction. A delivery that is gone,
   * purged with its partner while it was under way, is passed over, and so is what was made in a lane that is another
   * server's by now, and an attempt that is logged already.
   */
  record(results: AttemptResult[]): Promise<void>;
  receiver(partnerId: string): Promise<Receiver>;
  /**
   * Called when a receiver is paused, after each failed probe, and when it is resumed. Passed over where an operator has
   * changed the receiver since `revision` was read, or another server has the lane: they know better.
   */
  saveReceiverHealth(
    partnerId: string,
    health: ReceiverHealth,
    revision: number,
    epoch: number,
  ): Promise<void>;
};

export type RevisedEndpoint = Endpoint & Pick<Receiver, "revision">;

/** A partner's receiver as the operator has set it, and how it has been doing. */
export type Receiver = {
  /** What was saved last; HEALTHY before. */
  health: ReceiverHealth;
  /** How many deliveries may be under way to it; null for the options' number. */
  concurrency: number | null;
  /** Rises with every change that an operator makes. */
  revision: number;
};

/** Whose deliveries are this server's to send, where several send from one outbox: one of them for each partner. */
export type PartnerLeases = {
  /** Of the partners, those that are this server's from now on, each with the epoch of its lane. */
  acquire(partnerIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Whether nobody else sends to the partner within `needMs`. */
  isHeld(partnerId: string, epoch: number, needMs: number): boolean;
  release(partnerIds: readonly string[]): Promise<void>;
  /** Told of what is this server's no more. */
  onLost(listener: (partnerIds: readonly string[]) => void): void;
};

/** What the dispatcher needs of the store, the network and the clock. */
export type DispatcherDeps = DeliveryRepository & {
  send(request: SendRequest): Promise<SendResult>;
  clock: () => Instant;
  timers: Timers;
  log: DispatcherLog;
  /** Not given where no other server sends. */
  leases?: PartnerLeases;
};

export type DispatcherOptions = {
  concurrencyPerPartner: number;
  /** For each attempt's whole exchange. */
  timeoutMs: number;
  pauseLimits: PauseLimits;
  /** Between two probes of a paused receiver. */
  probeIntervalMs: number;
  /** Between two looks at the outbox that nothing else asked for. */
  pollIntervalMs: number;
  /** Deliveries fetched at once for a partner; fewer when very many partners are busy. */
  pageSize: number;
  /** About as many deliveries, with their bodies, are in memory for all partners together. */
  maxInMemory: number;
};

export const DISPATCHER_DEFAULTS: DispatcherOptions = {
  concurrencyPerPartner: 4,
  timeoutMs: 8_000,
  pauseLimits: DEFAULT_PAUSE_LIMITS,
  probeIntervalMs: 60_000,
  pollIntervalMs: 5_000,
  pageSize: 256,
  maxInMemory: 4_096,
};

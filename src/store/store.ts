import type { FillRandom, IdKind } from "../domain/ids.ts";
import type { Day, Instant } from "../domain/time.ts";
import type { Stores } from "./stores.ts";

/**
 * `durable`: survives a power cut when acknowledged. `process`: survives a kill of the process; cheaper, for counters
 * whose loss with the power does no harm.
 */
export type Durability = "durable" | "process";

/**
 * `background`: a long one of a series; it never shares a group, so that nobody waits for it and for its commit.
 */
export type Priority = "request" | "background";

export type WriteOptions = {
  /** `durable` when not given. */
  durability?: Durability;
  /** `request` when not given. */
  priority?: Priority;
  /** Whose rows the write is about, where that is known: they are its own from its start to its end. */
  partnerId?: string;
  /** The same of several. */
  partnerIds?: readonly string[];
  /**
   * Names the one row that the write takes for itself and that writes of other servers take too, where it is no
   * partner's: those that wait together take such rows last, and in the order of their names, so that no two servers
   * wait for each other.
   */
  sharedRow?: string;
};

/** The stores inside a transaction. Valid until the function that got it returns. */
export type Tx = Stores & {
  /** The wall clock at the start of the group; equal for all its writes. */
  now: Instant;
  /**
   * A partner's rows, which nobody else numbers or dates until the transaction ends. Whoever opens several partners'
   * does so in the order of their ids, so that no two transactions wait for each other. Throws not_found.
   */
  forPartner(partnerId: string): Promise<PartnerRows>;
  /** A moment for what is no partner's own: no earlier than any that was given to such before. */
  latestInstant(): Promise<Instant>;
  /**
   * Lets reads and timers have their turn when this write has held the event loop for a while. Call it between the
   * short steps of whatever may be long.
   */
  yieldToEventLoop(): Promise<void>;
  /** Of the call that this write is part of; null for a job's and a command's. Kept with what it sends. */
  requestId: string | null;
  newId(kind: IdKind): string;
  /** Says that something changes that the partner is shown: what was answered before is worked out anew. */
  bumpRevision(partnerId: string): void;
  /** Says that the partner's outbox got a delivery; told to the listener once the transaction is committed. */
  outboxChanged(partnerId: string): void;
};

/** The lists of a partner's that are numbered from 1 without gaps. */
export type NumberedList = "properties" | "appliances" | "components" | "events";

/** What gives one partner's new rows their numbers and moments, inside a transaction. */
export type PartnerRows = {
  /** The number of the next row of a list. Its sum in `partner_totals` is to be raised by as much in the same transaction. */
  nextSeq(list: NumberedList): number;
  /** The number of the latest row of a list; 0 when there is none. */
  latestSeq(list: NumberedList): number;
  /** A moment later than any given to the partner's rows before, by this process or another, whatever the clock says. */
  nextInstant(): Instant;
  /** No later than any that will be given, and no earlier than any that was: when a score was taken. */
  latestInstant(): Instant;
  /** Greater than any that the partner's deliveries have: they go out in the order of their ids. */
  newDeliveryId(): string;
};

/** What setting a block of calls aside has come to. */
export type BudgetReservation = {
  /** The partner's, when it was asked for. */
  revision: number;
  /** Calls of the day that are taken with the block; undefined when nothing was granted. */
  taken: number | undefined;
};

/** Sets calls of a partner's day aside by the one statement that reads the partner's revision. */
export type BudgetReservations = {
  /**
   * Grants all of the calls or none: whoever else takes of the budget, never more than it is granted in all. Undefined,
   * or with nothing granted, where the calls are to be had by a write, or not at all.
   */
  reserve(partnerId: string, day: Day, calls: number, budget: number): Promise<BudgetReservation | undefined>;
};

export type Store = {
  /** Whether other servers may work on the same database: what must hold among them is then in the database. */
  isShared: boolean;
  /** Sees what has been committed, and nothing of a write in progress. */
  read: Stores;
  /**
   * Reads in several steps as if they were one: `read` sees what is committed when it first reads, and nothing of
   * later. Not for long: what is kept for it grows meanwhile.
   */
  inReadSnapshot<T>(run: (read: Stores) => Promise<T>): Promise<T>;
  /**
   * Runs the function in a transaction and resolves with its value once that is committed and on the disk; rejects
   * with nothing written when it throws, and with a StorageError when it cannot be stored. It must wait for nothing
   * but the stores: other writes wait for it. It may be run more than once before it is committed, so it changes
   * nothing outside of the transaction, and what follows from it is done once this has resolved.
   */
  write<T>(run: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Where a write costs more of the database than a statement does. */
  budgetReservations?: BudgetReservations;
  /** What a query has failed with, as it may be logged: without the values given to it, a StorageError when it is the disk. */
  explain(error: unknown): unknown;
  /** Changes whenever another process has committed to the same database. */
  dataVersion(): number;
  /** Writes waiting, for the metrics. */
  queueLength(): number;
  onGroup(listener: (jobs: number, durationMs: number) => void): void;
  /** Tells whose outbox got deliveries in a write of this process. */
  onOutbox(listener: (partnerIds: ReadonlySet<string>) => void): void;
  /**
   * Lets the database see how much its tables hold, after very many rows were written: it plans by that, and finds rows
   * by the wrong way else. Never fails.
   */
  analyze(): Promise<void>;
  /** Bytes of the database, and of the log that is not yet part of it. */
  sizes(): Promise<{ databaseBytes: number; logBytes: number }>;
  /** The newest step of the schema that this program knows. */
  schemaVersion: number;
  /** Steps of the schema that opening it applied. */
  applied: readonly { number: number; name: string }[];
  close(): Promise<void>;
};

/** What every store is opened with, whichever database it keeps its rows in. */
export type StoreOptions = {
  clock: () => Instant;
  random: FillRandom;
  /** Milliseconds of a monotonic clock; `performance.now` if not given. */
  monotonicMs?: () => number;
  sleep?: (ms: number) => Promise<void>;
  /** Writes committed together at most. */
  groupSize?: number;
};

import type { FillRandom, IdKind } from "../domain/ids/record-ids.ts";
import type { Day, Instant } from "../domain/time.ts";
import { type Yield, yieldToEventLoop } from "../event-loop/event-loop.ts";
import type { Stores } from "./stores.ts";

/**
 * `durable`: survives a power cut once acknowledged. `process`: survives only the end of the process; it is cheaper, and
 * meant for counters whose loss does no harm.
 */
export type Durability = "durable" | "process";

/**
 * `background`: a long write of a series. It never shares a commit with other writes, so that none waits for it.
 */
export type Priority = "request" | "background";

/** The durability and the priority of a write. */
export type WriteOptions = {
  /** `durable` by default. */
  durability?: Durability;
  /** `request` by default. */
  priority?: Priority;
  /** The partner whose rows the write changes, if known: they are locked from its start to its end. */
  partnerId?: string;
  /** The partners whose rows the write changes, if several. */
  partnerIds?: readonly string[];
  /**
   * The name of the one row, other than a partner's, that the write locks and that writes of other servers lock too.
   * Writes that wait together lock such rows last, in the order of their names, so that no two servers deadlock.
   */
  sharedRow?: string;
};

/** The stores inside a transaction, valid until the function that received it returns. */
export type Tx = Stores & {
  /** The wall clock at the start of the transaction, in epoch milliseconds; equal for all writes committed together. */
  now: Instant;
  /**
   * Locks a partner's rows until the transaction ends, and returns their next numbers and instants. Several partners
   * are opened in the order of their ids, so that no two transactions deadlock. Throws not_found.
   */
  forPartner(partnerId: string): Promise<PartnerRows>;
  /** Returns an instant for a row that belongs to no partner, no earlier than any returned before. */
  latestInstant(): Promise<Instant>;
  /**
   * Yields to the event loop if this write has run for a while, so that reads and timers run. Long writes call it
   * between short steps.
   */
  yieldToEventLoop(): Promise<void>;
  /** Returns a number that is another one after each change of a row by this write. */
  changes(): number;
  /** The id of the request that this write belongs to, stored with its deliveries; null for jobs and commands. */
  requestId: string | null;
  /** Returns a new id, greater than all ids of its kind before. */
  newId(kind: IdKind): string;
  /** Records that data of the partner changes, which invalidates cached responses. */
  bumpRevision(partnerId: string): void;
  /** Records that the partner has a new delivery; the listener is called after the commit. */
  outboxChanged(partnerId: string): void;
};

/** Returns how work on the stores yields: the transaction's way inside of one. */
export const yieldOfStores = (stores: object & Partial<Pick<Tx, "yieldToEventLoop">>): Yield =>
  stores.yieldToEventLoop ?? yieldToEventLoop;

/**
 * Returns the stores with additions and replacements. A spread would make the queries of every table, and would leave out
 * those of a transaction, which are inherited.
 */
export const extendStores = <S extends object, Additions extends object>(stores: S, additions: Additions) =>
  Object.setPrototypeOf({ ...additions }, stores) as Omit<S, keyof Additions> & Additions;

/** The lists of a partner that are numbered from 1 without gaps. */
export type NumberedList = "properties" | "appliances" | "components" | "events";

/** The source of numbers, instants and delivery ids for one partner's new rows, inside a transaction. */
export type PartnerRows = {
  /**
   * Returns the number of the next row of a list. The caller raises its count in `partner_totals` in the same
   * transaction.
   */
  nextSeq(list: NumberedList): number;
  /** Returns the number of the latest row of a list; 0 if there is none. */
  latestSeq(list: NumberedList): number;
  /**
   * Returns an instant later than those of all the partner's rows, by this process or another, whatever the clock is.
   */
  nextInstant(): Instant;
  /** Returns an instant that is not before any returned so far, and not after any later one. */
  latestInstant(): Instant;
  /** Returns an id greater than those of all the partner's deliveries, which are sent in the order of their ids. */
  newDeliveryId(): string;
};

/** The result of a reservation of calls. */
export type BudgetReservation = {
  /** The partner's revision at the time of the reservation. */
  revision: string;
  /** The calls of the day that are taken, this reservation included; undefined if nothing was reserved. */
  taken: number | undefined;
};

/** Reserves calls of a partner's daily limit with the one statement that reads the partner's revision. */
export type BudgetReservations = {
  /**
   * Reserves all of the calls or none; all reservations together never exceed the budget. Resolves with undefined, or
   * with nothing reserved, if the calls are available only through a write, or not at all.
   */
  reserve(partnerId: string, day: Day, calls: number, budget: number): Promise<BudgetReservation | undefined>;
};

/** When a database server last archived a segment of its write-ahead log, and whether it has failed to since. */
export type WalArchiving = { archivedAt: Instant | null; isFailing: boolean };

/** A database: reads at any time, and transactions that write. */
export type Store = {
  /** True if other servers may use the same database. Then state that they share is kept in the database. */
  isShared: boolean;
  /** Reads committed data, and nothing of a write in progress. */
  read: Stores;
  /**
   * Runs several reads on one snapshot of the database: they see what was committed at the first of them. Keep it
   * short, since the database retains old versions of rows meanwhile.
   */
  inReadSnapshot<T>(run: (read: Stores) => Promise<T>): Promise<T>;
  /**
   * Runs the function in a transaction, and resolves with its value once that is committed and on the disk. Rejects
   * with the function's error, and nothing written; with a StorageError if the write can't be stored. The function
   * waits for nothing but the stores, since other writes wait for it. It may run more than once before the commit, so
   * it changes nothing outside of the transaction; the caller acts on the result once this has resolved.
   */
  write<T>(run: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Present if all writes wait for one writer. Returns the steps that it has made since the start: the number grows while
   * the writer runs a long transaction, for which others wait, and not if it hangs.
   */
  writerSteps?(): number;
  /**
   * Present if a write of few bytes may succeed on a full disk. Returns the milliseconds since a write was last rejected
   * because the disk is full; Infinity if none was.
   */
  msSinceFull?(): number;
  /** Present if the engine archives its write-ahead log. Resolves with undefined if that is turned off. */
  walArchiving?(): Promise<WalArchiving | undefined>;
  /** Present if a write costs the database much more than a single statement. */
  budgetReservations?: BudgetReservations;
  /**
   * Returns the error of a query in a form that can be logged, without its values; a StorageError if the disk is at
   * fault.
   */
  explain(error: unknown): unknown;
  /** Returns a number that changes whenever another process has committed to the same database. */
  dataVersion(): number;
  /** Returns the number of writes that wait. */
  queueLength(): number;
  /** Sets the listener for commits: the number of writes, and the duration in milliseconds. */
  onGroup(listener: (jobs: number, durationMs: number) => void): void;
  /** Sets the listener for partners with new deliveries from a write of this process. */
  onOutbox(listener: (partnerIds: ReadonlySet<string>) => void): void;
  /**
   * Updates the statistics that the database plans queries with, after very many rows were written. Never rejects.
   */
  analyze(): Promise<void>;
  /** Resolves with the size of the database, and of the write-ahead log that is not yet part of it. */
  sizes(): Promise<{ databaseBytes: number; logBytes: number }>;
  /**
   * Present if the store was opened to purge, and its file keeps what was deleted. Overwrites what was deleted before, in short
   * transactions with yields between them.
   */
  overwriteFreeSpace?(yieldNow: () => Promise<void>): Promise<void>;
  /** The number of the newest migration of this version. */
  schemaVersion: number;
  /** The migrations that were applied when the store was opened. */
  applied: readonly { number: number; name: string }[];
  /** Resolves when all writes have been answered. Later writes reject. */
  close(): Promise<void>;
};

/** The options of every store, whatever its database is. */
export type StoreOptions = {
  clock: () => Instant;
  random: FillRandom;
  /** Milliseconds of a monotonic clock; `performance.now` if not given. */
  monotonicMs?: () => number;
  sleep?: (ms: number) => Promise<void>;
  /** The most writes that are committed together. */
  groupSize?: number;
};

import { FullStorageError } from "../../../domain/errors.ts";
import { increasingIdGenerator } from "../../../domain/ids/record-ids.ts";
import { TimeSlice, yieldToNextIteration } from "../../../event-loop/event-loop.ts";
import { extendStores, type Store, type StoreOptions, type Tx, type WriteOptions } from "../../store.ts";
import type { PostgresConnections } from "../connection/postgres-connections.ts";
import { explainPostgresError, isPostgresLockTimeout } from "../postgres-errors.ts";
import type { PostgresQueuedWrite } from "./postgres-queued-write.ts";
import { hasStalledPostgresTransaction } from "./postgres-stalled-transaction-check.ts";
import { openPostgresWriter, type Writer } from "./postgres-writer.ts";

/** The longest time that a write runs between two yields to the event loop. */
const SLICE_MS = 8;
/** The writers for requests. A partner's writes always go to the same one. */
const REQUEST_WRITERS = 4;
/** One more for long writes of a series, and one for writes that wait for rows locked by other transactions. */
const BACKGROUND = REQUEST_WRITERS;
const BLOCKED = REQUEST_WRITERS + 1;
/** The lock timeout of a transaction that others wait behind, and of one that none waits behind. */
const REQUEST_LOCK_TIMEOUT_MS = 300;
const BACKGROUND_LOCK_TIMEOUT_MS = 8_000;
/** The share of the caller's timeout that a write waits for rows; the rest is for the refusal itself. */
const WAIT_SHARE = 0.9;
/**
 * How much longer a write waits, each time and in all, while the transactions that have its rows locked make progress.
 * The latter also limits its wait behind connections that stop answering.
 */
const EXTENSION_MS = 1_000;
const MOST_WAIT_MS = 8_000;

type WritersOptions = StoreOptions & {
  connections: PostgresConnections;
  /** The name of this process, unique among all processes on the database. */
  process: string;
  onGroup: (jobs: number, durationMs: number) => void;
  onOutbox: (partnerIds: ReadonlySet<string>) => void;
};

/** All connections of a process that write, and the choice of one for each write. */
export class PostgresWriters {
  readonly #writers: readonly Writer[];
  readonly #monotonicMs: () => number;
  /** How many writes of each partner wait for rows that other transactions have locked. */
  readonly #blockedWrites = new Map<string, number>();
  /** Each resolves when its caller has been answered. */
  readonly #unsettled = new Set<Promise<void>>();
  #isClosed = false;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: WritersOptions) {
    const { connections, process, clock, onGroup } = options;
    const monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#monotonicMs = monotonicMs;
    const newId = increasingIdGenerator(options.random);
    let deliverySequence = new DataView(options.random(new Uint8Array(4)).buffer).getUint32(0);
    const slice = new TimeSlice(SLICE_MS, monotonicMs);
    this.#writers = Array.from({ length: BLOCKED + 1 }, (_, number) =>
      openPostgresWriter({
        connections,
        name: `${process}-${number}`,
        // No request waits for a long write of a series, nor for its commit.
        groupSize: number === BACKGROUND ? 1 : (options.groupSize ?? 64),
        clock,
        monotonicMs,
        newId,
        nextDelivery: () => deliverySequence++,
        yieldToEventLoop: () => slice.yieldIfOver(yieldToNextIteration),
        lockTimeoutMs: (group) => this.#lockTimeoutMs(number, group),
        onGroup,
      }),
    );
  }

  /** The number of writes that wait. */
  get length(): number {
    return this.#writers.reduce((sum, { committer }) => sum + committer.length, 0);
  }

  /** Returns the milliseconds since a write was last rejected because the disk is full. */
  msSinceFull = (): number => this.#monotonicMs() - this.#fullAtMs;

  write: Store["write"] = async (run, options = {}) => {
    if (this.#isClosed) throw new Error("the store is closed");
    const answered = Promise.withResolvers<void>();
    this.#unsettled.add(answered.promise);
    try {
      const { value, notified } = await this.#write(run, options);
      if (notified.size > 0) this.options.onOutbox(notified);
      return value;
    } finally {
      this.#unsettled.delete(answered.promise);
      answered.resolve();
    }
  };

  /** Refuses further writes, and resolves when the callers of all others have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#unsettled]);
  }

  async #write<T>(run: (tx: Tx) => Promise<T>, options: WriteOptions) {
    const { durability = "durable", priority = "request", partnerId, partnerIds = [], sharedRow } = options;
    const { connections } = this.options;
    const ids = partnerId === undefined ? partnerIds : [partnerId, ...partnerIds];
    const isBackground = priority === "background";
    const startedAt = this.#monotonicMs();
    let deadline = startedAt + connections.reconnectMs * WAIT_SHARE;
    let notified = new Set<string>();
    const value = await new Promise<T>((resolve, reject) => {
      const refuse = (error: unknown) => {
        const explained = explainPostgresError(error, connections.address);
        if (explained instanceof FullStorageError) this.#fullAtMs = this.#monotonicMs();
        reject(explained);
      };
      const enter = (writer: Writer) => {
        const isBlocked = writer === this.#writers[BLOCKED];
        if (isBlocked) this.#block(ids);
        writer.committer.add({
          run: async () => {
            notified = new Set();
            return await runIn(writer, run, notified);
          },
          isDurable: durability === "durable",
          partnerIds: ids,
          sharedRow,
          deadline,
          // The writes of a series have no caller who waits.
          expiresAt: isBackground ? Number.POSITIVE_INFINITY : startedAt + MOST_WAIT_MS,
          settle: (error, value) => {
            if (isBlocked) this.#unblock(ids);
            if (error === undefined) resolve(value as T);
            else if (!isPostgresLockTimeout(error) || isBackground) refuse(error);
            else void retry(error);
          },
        });
      };
      const retry = async (error: unknown) => {
        if (this.#monotonicMs() >= deadline) {
          const isStalled = await hasStalledPostgresTransaction(connections.reader);
          const now = this.#monotonicMs();
          if (isStalled || this.#isClosed || now >= startedAt + MOST_WAIT_MS) return refuse(error);
          deadline = Math.min(now + EXTENSION_MS, startedAt + MOST_WAIT_MS);
        }
        enter(this.#writers[BLOCKED]!);
      };
      enter(this.#choose(ids, isBackground));
    });
    return { value, notified };
  }

  #choose(partnerIds: readonly string[], isBackground: boolean): Writer {
    if (isBackground) return this.#writers[BACKGROUND]!;
    const [partnerId] = partnerIds;
    if (partnerIds.some((id) => this.#blockedWrites.has(id))) return this.#writers[BLOCKED]!;
    if (partnerId !== undefined) return this.#writers[Number(Bun.hash(partnerId)) % REQUEST_WRITERS]!;
    const writers = this.#writers.slice(0, REQUEST_WRITERS);
    return writers.reduce((best, writer) => (writer.committer.load < best.committer.load ? writer : best));
  }

  #lockTimeoutMs(number: number, group: readonly PostgresQueuedWrite[]): number {
    if (number === BACKGROUND) return BACKGROUND_LOCK_TIMEOUT_MS;
    if (number < REQUEST_WRITERS) return REQUEST_LOCK_TIMEOUT_MS;
    return Math.min(...group.map(({ deadline }) => deadline)) - this.#monotonicMs();
  }

  #block(partnerIds: readonly string[]): void {
    for (const id of partnerIds) this.#blockedWrites.set(id, (this.#blockedWrites.get(id) ?? 0) + 1);
  }

  #unblock(partnerIds: readonly string[]): void {
    for (const id of partnerIds) {
      const left = this.#blockedWrites.get(id)! - 1;
      if (left > 0) this.#blockedWrites.set(id, left);
      else this.#blockedWrites.delete(id);
    }
  }
}

async function runIn<T>(
  { stores, transaction }: Writer,
  run: (tx: Tx) => Promise<T>,
  notified: Set<string>,
): Promise<T> {
  const revised = new Set<string>();
  const tx = extendStores(transaction(), {
    outboxChanged: (id: string) => void notified.add(id),
    bumpRevision: (id: string) => void revised.add(id),
  });
  const value = await run(tx);
  for (const id of [...revised].sort()) await stores.partners.bumpRevision(id);
  return value;
}

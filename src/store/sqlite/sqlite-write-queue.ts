import { yieldToNextIteration } from "../../event-loop/event-loop.ts";
import type { Durability, Priority } from "../store.ts";

/** The transaction statements of the writer connection. `begin` throws a busy error while another process writes. */
export type SqliteWriterConnection = {
  begin(): void;
  /** Marks the current transaction as long: its pages are spilled to the log before the commit. */
  markLong(): void;
  commit(): void;
  rollback(): void;
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  inTransaction(): boolean;
  /** Returns whether an error of `begin` only means that another process has the lock. */
  isBusy(error: unknown): boolean;
  /** Sets whether the next transaction must survive a power cut, or only the end of the process. */
  setDurable(durable: boolean): void;
};

type Job = {
  run: () => Promise<unknown>;
  durability: Durability;
  settle: (error: unknown, value: unknown) => void;
};

type Outcome = { job: Job; error: unknown; value: unknown };

type WriteQueueOptions = {
  /** The most jobs that are committed together. */
  groupSize: number;
  /** The longest wait for another process's transaction, in milliseconds. */
  busyTimeoutMs: number;
  sleep: (ms: number) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  monotonicMs: () => number;
  /** Yields to the event loop if a slice of work is over. */
  yieldIfDue: () => Promise<void>;
  /** Called in the transaction before the first job of a group. */
  onBegin: () => Promise<void>;
  /** Called in the transaction after the last job of a group. */
  onEnd: () => Promise<void>;
};

/**
 * Runs writes one after another and commits them in groups, so that one fsync serves many writers. Each job of several runs
 * in a savepoint, so that a failure undoes that job alone, and all jobs of a group are settled after its commit. A single job
 * needs none: SQLite would keep a copy of each page that it changes, twice for most statements, to undo it.
 */
export class WriteQueue {
  #requests: Job[] = [];
  #background: Job[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Called after the commit of each group. */
  onGroup: ((jobs: number, durationMs: number) => void) | undefined;

  constructor(
    private readonly connection: SqliteWriterConnection,
    private readonly options: WriteQueueOptions,
  ) {}

  get length(): number {
    return this.#requests.length + this.#background.length;
  }

  /** Resolves after the commit of the group that contains `run`; rejects, with nothing written, when `run` throws. */
  add<T>(run: () => Promise<T>, durability: Durability, priority: Priority = "request"): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("the store is closed"));
    return new Promise<T>((resolve, reject) => {
      const settle = (error: unknown, value: unknown) =>
        error === undefined ? resolve(value as T) : reject(error);
      (priority === "background" ? this.#background : this.#requests).push({ run, durability, settle });
      this.#running ??= this.#drain();
    });
  }

  /** Rejects new jobs, and resolves when all others have been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Requests that arrive in this iteration of the event loop join the first group.
    await yieldToNextIteration();
    let wasRequests = false;
    while (this.length > 0) {
      // The two alternate, so that neither waits for more than one group of the other.
      wasRequests = this.#background.length === 0 || (this.#requests.length > 0 && !wasRequests);
      const group = wasRequests
        ? this.#requests.splice(0, this.options.groupSize)
        : this.#background.splice(0, 1);
      await this.#commit(group);
      // Yields between groups, so that reads and timers run however many writes wait.
      if (this.length > 0) await yieldToNextIteration();
    }
    this.#running = undefined;
  }

  async #commit(group: Job[]): Promise<void> {
    const startedAt = this.options.monotonicMs();
    const outcomes: Outcome[] = [];
    try {
      this.connection.setDurable(group.some((job) => job.durability === "durable"));
      await this.#begin();
      try {
        await this.options.onBegin();
        for (const job of group) {
          outcomes.push(group.length === 1 ? await run(job) : await this.#runInSavepoint(job));
          await this.options.yieldIfDue();
        }
        await this.options.onEnd();
        this.connection.commit();
      } catch (error) {
        this.connection.rollback();
        throw error;
      }
    } catch (error) {
      for (const job of group) job.settle(error ?? failureWithoutError(), undefined);
      return;
    }
    this.onGroup?.(group.length, this.options.monotonicMs() - startedAt);
    for (const { job, error, value } of outcomes) job.settle(error, value);
  }

  async #runInSavepoint(job: Job): Promise<Outcome> {
    this.connection.savepoint();
    try {
      const outcome = await run(job);
      this.connection.release();
      return outcome;
    } catch (error) {
      // SQLite rolls the whole transaction back when the disk is full: then the error fails the group.
      if (!this.connection.inTransaction()) throw error;
      this.connection.rollbackToSavepoint();
      this.connection.release();
      return { job, error: error ?? failureWithoutError(), value: undefined };
    }
  }

  /** Waits for another process's write. SQLite's own busy timeout would block the event loop meanwhile. */
  async #begin(): Promise<void> {
    const deadline = this.options.monotonicMs() + this.options.busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 16)) {
      try {
        this.connection.begin();
        return;
      } catch (error) {
        if (!this.connection.isBusy(error) || this.options.monotonicMs() > deadline) throw error;
      }
      await this.options.sleep(pauseMs);
    }
  }
}

const run = async (job: Job): Promise<Outcome> => ({ job, error: undefined, value: await job.run() });

const failureWithoutError = () => new Error("a write failed without an error");

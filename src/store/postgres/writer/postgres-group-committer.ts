import { StorageError } from "../../../domain/errors.ts";
import { yieldToNextIteration } from "../../../event-loop/event-loop.ts";
import {
  isPostgresConnectionLost,
  isPostgresLockTimeout,
  isRetryablePostgresConflict,
} from "../postgres-errors.ts";
import {
  refusePostgresWrite,
  refusePostgresWritesOfSlowCommit,
  settlePostgresWrite,
} from "./postgres-commit-timeout.ts";
import { PostgresGroupTransaction, type TransactionHooks } from "./postgres-group-transaction.ts";
import {
  type JobOutcome,
  orderPostgresSharedRowWritesLast,
  type PostgresQueuedWrite,
} from "./postgres-queued-write.ts";
import type { PostgresWriterConnection } from "./postgres-writer-connection.ts";

/** How often a group is repeated after conflicts with other transactions. */
const MOST_CONFLICTS = 20;
/** The number of conflicts after which a group is split, since fewer jobs lock fewer rows at once. */
const CONFLICTS_BEFORE_SPLIT = 3;
const CONFLICT_PAUSE_MS = 5;
const EXPIRY_INTERVAL_MS = 250;

type GroupCommitterOptions = TransactionHooks & {
  connection: PostgresWriterConnection;
  /** The writer's name, unique among all writers on the database. */
  writer: string;
  preparesStatements: boolean;
  /** The most jobs that are committed together. */
  groupSize: number;
  monotonicMs: () => number;
  /** How long a group is retried while the connection is lost. */
  reconnectMs: number;
  /** Starts watching the connection; the function that it returns stops that. */
  watchConnection: (onDead: () => void) => () => void;
  onGroup: (jobs: number, durationMs: number) => void;
};

/**
 * Writes by one connection: commits the jobs that wait in groups, one transaction each. A group first runs without
 * savepoints. When a job fails after it has written, the group runs again with each job in a savepoint. A group is
 * repeated when another transaction forced its rollback, or when its connection was lost before the commit was sent;
 * when the connection is lost during the commit, the database is asked for the result.
 */
export class PostgresGroupCommitter {
  readonly #waiting: PostgresQueuedWrite[] = [];
  readonly #transaction: PostgresGroupTransaction;
  #running: Promise<void> | undefined;
  #committing = 0;
  /** Runs from the loss of a connection that had stopped answering to the next commit. */
  #expiry: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: GroupCommitterOptions) {
    this.#transaction = new PostgresGroupTransaction({
      ...options,
      awaitCommit: (commit, group) =>
        refusePostgresWritesOfSlowCommit(commit, group, this.#waiting, options.monotonicMs),
    });
  }

  /** The number of jobs that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** The number of jobs that wait or run. */
  get load(): number {
    return this.#waiting.length + this.#committing;
  }

  /** Called in a job whose writes must survive a crash of the database server before others see them. */
  surviveCrash(): void {
    this.#transaction.surviveCrash();
  }

  add(job: PostgresQueuedWrite): void {
    this.#waiting.push(job);
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Requests that arrive in this iteration of the event loop join the first group.
    await yieldToNextIteration();
    const stopWatching = this.options.watchConnection(() => this.#startExpiry());
    while (this.#waiting.length > 0) {
      const group = orderPostgresSharedRowWritesLast(this.#waiting.splice(0, this.options.groupSize));
      this.#committing = group.length;
      await this.#settle(group);
      this.#committing = 0;
    }
    stopWatching();
    this.#stopExpiry();
    this.#running = undefined;
  }

  async #settle(group: readonly PostgresQueuedWrite[]): Promise<void> {
    const startedAt = this.options.monotonicMs();
    let outcomes: JobOutcome[];
    try {
      outcomes = await this.#commit(group, group.length === 1);
    } catch (error) {
      for (const job of group) settlePostgresWrite(job, error, undefined);
      return;
    }
    this.#stopExpiry();
    this.options.onGroup(group.length, this.options.monotonicMs() - startedAt);
    for (const { job, error, value } of outcomes) settlePostgresWrite(job, error, value);
  }

  /**
   * Refuses the jobs that have waited for too long: the next connection may stop answering, too, and each takes seconds
   * to be found dead.
   */
  #startExpiry(): void {
    this.#expiry ??= setInterval(() => {
      for (const job of this.#waiting.splice(0)) if (!this.#isRefused(job)) this.#waiting.push(job);
    }, EXPIRY_INTERVAL_MS);
  }

  #stopExpiry(): void {
    clearInterval(this.#expiry);
    this.#expiry = undefined;
  }

  /** Refuses a job that has expired, of which nothing is written. */
  #isRefused(job: PostgresQueuedWrite): boolean {
    const isExpired = this.options.monotonicMs() > job.expiresAt;
    if (isExpired) refusePostgresWrite(job, noConnectionAnswers());
    return isExpired;
  }

  /** Repeats a group until every job has an outcome. Rejects when the group can't be committed. */
  async #commit(all: readonly PostgresQueuedWrite[], startsWithSavepoints: boolean): Promise<JobOutcome[]> {
    let group = all;
    let lostAt: number | undefined;
    let lockError: unknown;
    let withSavepoints = startsWithSavepoints;
    for (let conflicts = 0; ; ) {
      const attempt = await this.#transaction.attempt(group, { withSavepoints, lockError });
      if (attempt.result === "settled") return attempt.outcomes;
      if (attempt.result === "retryWithSavepoints") {
        withSavepoints = true;
        continue;
      }
      if (attempt.result === "jobFailedAtCommit") {
        const others = group.filter((job) => job !== attempt.outcome.job);
        return [...(others.length > 0 ? await this.#commit(others, true) : []), attempt.outcome];
      }
      const { error } = attempt;
      if (isRetryablePostgresConflict(error) && ++conflicts < MOST_CONFLICTS) {
        if (conflicts === CONFLICTS_BEFORE_SPLIT && group.length > 1) return await this.#commitHalves(group);
        await Bun.sleep(Math.random() * CONFLICT_PAUSE_MS * conflicts);
      } else if (isPostgresConnectionLost(error)) {
        lostAt ??= this.options.monotonicMs();
        if (this.options.monotonicMs() - lostAt > this.options.reconnectMs) throw error;
        group = group.filter((job) => !this.#isRefused(job));
        if (group.length === 0) return [];
      } else if (isPostgresLockTimeout(error) && lockError === undefined && group.length > 1)
        lockError = error;
      else throw error;
    }
  }

  async #commitHalves(group: readonly PostgresQueuedWrite[]): Promise<JobOutcome[]> {
    const outcomes: JobOutcome[] = [];
    const middle = group.length >> 1;
    for (const half of [group.slice(0, middle), group.slice(middle)])
      try {
        outcomes.push(...(await this.#commit(half, true)));
      } catch (error) {
        outcomes.push(...half.map((job) => ({ job, error, value: undefined })));
      }
    return outcomes;
  }
}

const noConnectionAnswers = () =>
  new StorageError(
    "connections to PostgreSQL stop answering; nothing of this write is stored",
    "Check the network between this machine and PostgreSQL, such as a firewall that drops packets of open connections.",
  );

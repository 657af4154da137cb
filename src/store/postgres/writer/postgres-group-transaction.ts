import { UnknownOutcome } from "../../../domain/errors.ts";
import {
  failsWholePostgresTransaction,
  isPostgresConnectionLost,
  isPostgresLockTimeout,
  isPostgresSystemFailure,
  isRetryablePostgresConflict,
  postgresErrorOf,
} from "../postgres-errors.ts";
import type { Statement } from "../postgres-statement.ts";
import type { JobOutcome, PostgresQueuedWrite } from "./postgres-queued-write.ts";
import * as statements from "./postgres-transaction-statements.ts";
import type { PostgresWriterConnection } from "./postgres-writer-connection.ts";

/** The lock timeout for the rest of a group in which one job has waited for a row for too long. */
const NEXT_LOCK_TIMEOUT_MS = 20;
/** How often one job is repeated within its group after a conflict, before the whole group is. */
const MOST_CONFLICTS_OF_JOB = 3;

/** The first and the longest pause between two attempts to find out whether a group was committed. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 200;

/** The steps of a transaction beside its jobs. */
export type TransactionHooks = {
  /** The lock timeout of a group's transaction. */
  lockTimeoutMs: (group: readonly PostgresQueuedWrite[]) => number;
  /**
   * Called in the transaction before its first job: locks the rows of these partners; with `unlocked`, those alone that
   * no other transaction has locked.
   */
  onBegin: (partnerIds: readonly string[], which: "all" | "unlocked") => Promise<void>;
  isLocked: (partnerId: string) => boolean;
  /**
   * Called before each job. The function that it returns discards the writes of a job that has failed; it returns false
   * when some of them were sent, so that only a rollback undoes them.
   */
  onJob: () => () => boolean;
  /** Sends the writes that are still batched. */
  flush: () => Promise<void>;
  /** Called in the transaction after its last job. */
  beforeCommit: () => Promise<void>;
  yieldToEventLoop: () => Promise<void>;
};

type GroupTransactionOptions = TransactionHooks & {
  connection: PostgresWriterConnection;
  /** The writer's name, unique among all writers on the database. */
  writer: string;
  preparesStatements: boolean;
  monotonicMs: () => number;
  /** How long the result of a lost commit is looked for. */
  reconnectMs: number;
  /** Waits for a group's commit. */
  awaitCommit: <T>(commit: Promise<T>, group: readonly PostgresQueuedWrite[]) => Promise<T>;
};

/** The result of one attempt to commit a group. */
type Attempt =
  /** Every job has its outcome, and those without an error are committed. */
  | { result: "settled"; outcomes: JobOutcome[] }
  /** A job failed after it had written: the group has to run with savepoints, to undo that job alone. */
  | { result: "retryWithSavepoints" }
  /** The writes of the last job failed at the commit: the other jobs have to run again without it. */
  | { result: "jobFailedAtCommit"; outcome: JobOutcome }
  /** The transaction failed as a whole, or its result can't be determined. */
  | { result: "failed"; error: unknown };

type AttemptOptions = {
  /** Runs each job in a savepoint. */
  withSavepoints: boolean;
  /** The lock timeout of the attempt before: jobs whose partners are locked by others now fail with it at once. */
  lockError: unknown;
};

/** Runs the transactions of one writer, one group of jobs each. */
export class PostgresGroupTransaction {
  #number = 0;
  #isDurable = true;

  constructor(private readonly options: GroupTransactionOptions) {}

  /** Makes the commit of the current transaction visible to others only once it survives a crash of the database server. */
  surviveCrash(): void {
    if (!this.#isDurable) this.options.connection.command(statements.SURVIVE_CRASH);
  }

  /** Runs a group's jobs in one transaction and commits it. Never rejects. */
  async attempt(
    group: readonly PostgresQueuedWrite[],
    { withSavepoints, lockError }: AttemptOptions,
  ): Promise<Attempt> {
    const { connection, beforeCommit, flush } = this.options;
    const number = ++this.#number;
    let jobs = group;
    let outcomes: JobOutcome[];
    try {
      await this.#begin(group, number, lockError === undefined ? "all" : "unlocked");
      if (lockError !== undefined)
        jobs = group.filter((job) => job.partnerIds.every((id) => this.options.isLocked(id)));
      const ran = await this.#runAll(jobs, withSavepoints);
      if (!ran) {
        await connection.abandon();
        return { result: "retryWithSavepoints" };
      }
      const blocked = group.filter((job) => !jobs.includes(job));
      outcomes = [...ran, ...blocked.map((job): JobOutcome => ({ job, error: lockError, value: undefined }))];
      const hasNothingToCommit = jobs.length === 0 || (jobs.length === 1 && ran[0]!.error !== undefined);
      if (hasNothingToCommit) {
        await connection.send({ text: "ROLLBACK", values: [] });
        return { result: "settled", outcomes };
      }
      await flush();
      await beforeCommit();
      if (connection.failure !== undefined && isPostgresConnectionLost(connection.failure))
        throw connection.failure;
    } catch (error) {
      await connection.abandon();
      return { result: "failed", error };
    }
    try {
      if (await this.#commit(number, group)) return { result: "settled", outcomes };
    } catch (error) {
      return { result: "failed", error };
    }
    const error =
      connection.failure ?? new Error("PostgreSQL rolled a transaction back without reporting an error");
    if (failsWholePostgresTransaction(error)) return { result: "failed", error };
    if (!withSavepoints) return { result: "retryWithSavepoints" };
    // Every other job was released from its savepoint without an error.
    return { result: "jobFailedAtCommit", outcome: { job: jobs.at(-1)!, error, value: undefined } };
  }

  async #begin(
    group: readonly PostgresQueuedWrite[],
    number: number,
    which: "all" | "unlocked",
  ): Promise<void> {
    const { connection, lockTimeoutMs, onBegin } = this.options;
    this.#isDurable = group.some((job) => job.isDurable);
    await connection.beginTransaction(
      statements.postgresBeginStatement(this.#isDurable, lockTimeoutMs(group)),
    );
    void connection.write(this.#recordGroup(number));
    const partnerIds = [...new Set(group.flatMap((job) => job.partnerIds))].sort();
    await onBegin(partnerIds, which);
  }

  #recordGroup(number: number): Statement {
    const { writer, preparesStatements } = this.options;
    const statement = { text: statements.RECORD_GROUP, values: [writer, number], tables: WRITE_GROUPS };
    return preparesStatements ? { name: "mainstay_record_group", ...statement } : statement;
  }

  /** Undefined when the jobs have to run again with savepoints. */
  async #runAll(
    jobs: readonly PostgresQueuedWrite[],
    withSavepoints: boolean,
  ): Promise<JobOutcome[] | undefined> {
    const outcomes: JobOutcome[] = [];
    for (const job of jobs) {
      const outcome = withSavepoints
        ? await this.#runInSavepoint(job, jobs.length === 1, job === jobs.at(-1), MOST_CONFLICTS_OF_JOB)
        : await this.#runWithoutSavepoint(job);
      if (!outcome) return undefined;
      outcomes.push(outcome);
      await this.options.yieldToEventLoop();
    }
    return outcomes;
  }

  /**
   * Runs a job that can't be undone alone once one of its writes was sent: then it returns undefined when the job fails.
   * Rejects with an error that fails the whole transaction.
   */
  async #runWithoutSavepoint(job: PostgresQueuedWrite): Promise<JobOutcome | undefined> {
    const { connection, onJob } = this.options;
    const discard = onJob();
    try {
      const value = await job.run();
      if (connection.failure !== undefined) throw connection.failure;
      return { job, error: undefined, value };
    } catch (thrown) {
      const error = this.#errorOf(thrown);
      if (failsWholePostgresTransaction(error) && !isRetryablePostgresConflict(error)) throw error;
      if (connection.failure !== undefined || !discard()) return undefined;
      return { job, error, value: undefined };
    }
  }

  /** Runs a job so that it can be undone alone. Rejects with an error that fails the whole transaction. */
  async #runInSavepoint(
    job: PostgresQueuedWrite,
    isOnly: boolean,
    isLast: boolean,
    conflicts: number,
  ): Promise<JobOutcome> {
    const { connection, flush, onJob } = this.options;
    const discard = onJob();
    if (!isOnly) connection.command("SAVEPOINT job");
    try {
      const value = await job.run();
      await flush();
      if (connection.failure !== undefined) throw connection.failure;
      // No job follows: a failure of its writes shows at the commit.
      if (isOnly || isLast) return { job, error: undefined, value };
      // The answer arrives after those to all writes of the job, so that their failures are known.
      await connection.read({ text: "RELEASE SAVEPOINT job", values: [] });
      if (connection.failure !== undefined) throw connection.failure;
      return { job, error: undefined, value };
    } catch (thrown) {
      const error = this.#errorOf(thrown);
      // Repeating the job alone is enough, since each of its statements sees what is committed by then.
      const isRepeatable = !isOnly && conflicts > 0 && isRetryablePostgresConflict(error);
      if (failsWholePostgresTransaction(error) && !isRepeatable) throw error;
      discard();
      if (!isOnly)
        await connection.send({ text: "ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job", values: [] });
      if (!isOnly && isPostgresLockTimeout(error))
        connection.command(statements.postgresLockTimeoutStatement(NEXT_LOCK_TIMEOUT_MS));
      connection.clearFailure();
      if (isRepeatable) return await this.#runInSavepoint(job, isOnly, isLast, conflicts - 1);
      return { job, error, value: undefined };
    }
  }

  #errorOf(thrown: unknown): unknown {
    return this.options.connection.failure ?? thrown ?? new Error("a write failed without an error");
  }

  /**
   * Sends the commit. Returns false when the transaction was rolled back; the connection has the failure. Rejects when
   * the commit was not made, or its result can't be determined.
   */
  async #commit(number: number, group: readonly PostgresQueuedWrite[]): Promise<boolean> {
    const { connection, awaitCommit } = this.options;
    let failure: unknown;
    try {
      const { command } = await awaitCommit(connection.send({ text: "COMMIT", values: [] }), group);
      return command === "COMMIT";
    } catch (error) {
      await connection.abandon();
      if (!isPostgresConnectionLost(error) && !isPostgresSystemFailure(error)) throw error;
      failure = error;
    }
    try {
      if (await this.#wasCommitted(number)) return true;
    } catch (error) {
      throw new UnknownOutcome(
        `the connection was lost during a commit, and the result cannot be determined (${postgresErrorOf(error).message})`,
        "Check whether the write is stored before you repeat it; with an Idempotency-Key you can repeat it safely.",
      );
    }
    // Nothing was stored, and the reason is known: the group would only fail again.
    if (!isPostgresConnectionLost(failure)) throw failure;
    // Any failure of a job belongs to the transaction that was lost: the group runs again.
    throw new Error("Connection terminated before the commit");
  }

  async #wasCommitted(number: number): Promise<boolean> {
    const { connection, monotonicMs, reconnectMs, writer } = this.options;
    const deadline = monotonicMs() + reconnectMs;
    // The check takes the next number, even when its answer is lost.
    this.#number = number + 1;
    for (let pauseMs = LEAST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS)) {
      const client = await connection.open();
      try {
        await client.query(statements.BEGIN_OUTCOME_CHECK);
        const { rows } = await client.query(statements.CHECK_OUTCOME, [writer, number]);
        await client.query("COMMIT");
        return Number((rows[0] as { number: unknown }).number) === number;
      } catch (error) {
        await connection.abandon();
        if (
          !isPostgresConnectionLost(error) &&
          !isPostgresLockTimeout(error) &&
          !failsWholePostgresTransaction(error)
        )
          throw error;
        if (monotonicMs() > deadline) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }
}

const WRITE_GROUPS: ReadonlySet<string> = new Set(["write_groups"]);

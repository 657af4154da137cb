import { StorageError, UnknownOutcome } from "../../../domain/errors.ts";
import type { PostgresQueuedWrite } from "./postgres-queued-write.ts";

/**
 * The time after which callers no longer wait for a commit. No setting of PostgreSQL limits it: statement_timeout ends
 * before a commit waits for a synchronous standby.
 */
const COMMIT_TIMEOUT_MS = 8_000;
const CHECK_INTERVAL_MS = 250;
/** Jobs that were refused before their group had a result. */
const refused = new WeakSet<PostgresQueuedWrite>();

/** Settles a job, unless it was refused already. */
export function settlePostgresWrite(job: PostgresQueuedWrite, error: unknown, value: unknown): void {
  if (!refused.has(job)) job.settle(error, value);
}

/** Refuses a job before its group has a result. */
export function refusePostgresWrite(job: PostgresQueuedWrite, error: StorageError): void {
  settlePostgresWrite(job, error, undefined);
  refused.add(job);
}

/**
 * Waits for a group's commit, however long it takes. After COMMIT_TIMEOUT_MS it refuses the group's jobs, and those of
 * the jobs waiting behind it that are past their deadlines.
 */
export async function refusePostgresWritesOfSlowCommit<T>(
  commit: Promise<T>,
  group: readonly PostgresQueuedWrite[],
  waiting: PostgresQueuedWrite[],
  monotonicMs: () => number,
): Promise<T> {
  // Counted in intervals, so that a pause of this process doesn't count as one of the database.
  let intervals = COMMIT_TIMEOUT_MS / CHECK_INTERVAL_MS;
  const timer = setInterval(() => {
    if (--intervals > 0) return;
    for (const job of group) refusePostgresWrite(job, outcomeUnknown());
    const now = monotonicMs();
    for (const job of waiting.splice(0))
      if (now > job.deadline) job.settle(notWritten(), undefined);
      else waiting.push(job);
  }, CHECK_INTERVAL_MS);
  try {
    return await commit;
  } finally {
    clearInterval(timer);
  }
}

const HINT =
  "Check what commits wait for: SELECT wait_event FROM pg_stat_activity WHERE query = 'COMMIT'. SyncRep means that a standby named in synchronous_standby_names is gone.";
const SECONDS = COMMIT_TIMEOUT_MS / 1000;
const outcomeUnknown = () =>
  new UnknownOutcome(
    `PostgreSQL has not confirmed a commit within ${SECONDS} s; the write may or may not be stored`,
    `${HINT} Check whether the write is stored before you repeat it; with an Idempotency-Key you can repeat it safely.`,
  );
const notWritten = () =>
  new StorageError(
    `PostgreSQL has not committed the writes before this one within ${SECONDS} s; nothing of this write is stored`,
    HINT,
  );

import { StorageError } from "../../../domain/errors.ts";
import type { Job } from "./job.ts";

/** A commit that takes longer, as one that waits for a standby that is gone, is waited for by no caller. */
const COMMITTED_WITHIN_MS = 8_000;
const LOOKED_MS = 250;
/** Those that were refused before it was known what becomes of them. */
const refused = new WeakSet<Job>();

/** Tells a job what has become of it, unless it was refused. */
export function settleJob(job: Job, error: unknown, value: unknown): void {
  if (!refused.has(job)) job.settle(error, value);
}

/** Waits for a commit, however long, and refuses its group, and of what waits behind it what is late, where it takes long. */
export async function withCommitTimeout<T>(
  commit: Promise<T>,
  group: readonly Job[],
  behind: Job[],
  ticks: () => number,
): Promise<T> {
  // In rounds, so that a pause of this whole process does not pass for one of the database.
  let rounds = COMMITTED_WITHIN_MS / LOOKED_MS;
  const timer = setInterval(() => {
    if (--rounds > 0) return;
    for (const job of group) {
      settleJob(job, unknown(), undefined);
      refused.add(job);
    }
    const now = ticks();
    for (const job of behind.splice(0))
      if (now > job.deadline) job.settle(undone(), undefined);
      else behind.push(job);
  }, LOOKED_MS);
  try {
    return await commit;
  } finally {
    clearInterval(timer);
  }
}

const WHY =
  "Look what commits wait for: SELECT wait_event FROM pg_stat_activity WHERE query = 'COMMIT'. SyncRep is a standby of synchronous_standby_names that is gone.";
const SECONDS = COMMITTED_WITHIN_MS / 1000;
const unknown = () =>
  new StorageError(
    `PostgreSQL has not said for ${SECONDS} s whether a write is committed`,
    `${WHY} Ask whether it is there before it is made again; with an Idempotency-Key it may simply be repeated.`,
  );
const undone = () =>
  new StorageError(
    `PostgreSQL does not commit the writes before this one (${SECONDS} s); nothing of this one has happened`,
    WHY,
  );

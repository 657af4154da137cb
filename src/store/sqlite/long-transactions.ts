import type { Database } from "bun:sqlite";
import { checkpointBeside } from "./checkpoint.ts";

/** Pages of the log that are written into the database by the commit that comes to as many. */
const CHECKPOINT_PAGES = 3000;
export const CHECKPOINT_AT_COMMIT = `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`;
const CHECKPOINT_NEVER = "PRAGMA wal_autocheckpoint = 0";

/** 32 MiB: pages that a transaction changes are written into the log at its commit, unless there are more. */
export const LARGE_CACHE = "PRAGMA cache_size = -32768";
const SMALL_CACHE = "PRAGMA cache_size = -4096";

/**
 * What keeps the commit of a long transaction short. Once a transaction turns out to be long, its changed pages go into
 * the log while it goes on, some at each step, and not all at its commit; and the log is then written into the database
 * on another thread. What is committed is as durable as ever: the checkpoint is not part of that.
 */
export function longTransactions(db: Database) {
  const log = db.prepare<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)");
  let isLong = false;
  /** Whether a long transaction was committed since a checkpoint has begun beside. */
  let isGrown = false;
  let checkpoint: Promise<void> | undefined;

  /** Leaves the log to the commits again, once a checkpoint beside is not needed, is done, or has failed. */
  const settle = () => {
    if (isLong || checkpoint) return;
    if (isGrown && pagesLeft() >= CHECKPOINT_PAGES) {
      checkpoint = checkpointBeside(db.filename)
        .catch(() => {})
        .finally(() => {
          checkpoint = undefined;
          settle();
        });
    } else db.run(CHECKPOINT_AT_COMMIT);
    isGrown = false;
  };
  const pagesLeft = () => {
    const pages = log.get()!;
    return pages.log - pages.checkpointed;
  };
  const end = () => {
    isLong = false;
    db.run(LARGE_CACHE);
    settle();
  };
  return {
    begin() {
      isLong = true;
      db.run(SMALL_CACHE);
      db.run(CHECKPOINT_NEVER);
    },
    committed() {
      if (!isLong) return;
      isGrown = true;
      end();
    },
    rolledBack() {
      if (isLong) end();
    },
    async idle() {
      while (checkpoint) await checkpoint;
    },
  };
}

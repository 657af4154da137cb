import type { Database } from "bun:sqlite";
import { checkpointSqliteInWorker } from "./sqlite-wal-checkpoint.ts";

/** The commit that makes the log reach this number of pages writes them into the database. */
const CHECKPOINT_PAGES = 3000;
/** Makes a commit write the log to the database once the log has its usual size. */
export const CHECKPOINT_AT_COMMIT = `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`;
const CHECKPOINT_NEVER = "PRAGMA wal_autocheckpoint = 0";

/** 32 MiB. Pages that a transaction changes are written into the log at its commit, unless the cache is full. */
export const LARGE_CACHE = "PRAGMA cache_size = -32768";
const SMALL_CACHE = "PRAGMA cache_size = -4096";

/** The time between two attempts while a reader still uses older pages. */
const PAUSE_MS = 1000;

/**
 * Keeps the commit of a long transaction short. Once a transaction is long, its changed pages are written into the log
 * as they change, and not all at the commit; another thread then writes the log into the database. Durability is the
 * same, since a commit does not need the checkpoint. `reader` reports the progress of the checkpoint, which the writer
 * connection reports only between its transactions.
 */
export function checkpointLongSqliteTransactions(writer: Database, reader: Database) {
  const log = reader.prepare<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)");
  let isLong = false;
  let isClosing = false;
  let checkpoint: Promise<void> | undefined;
  let pause: Timer | undefined;

  const pagesOfLog = () => {
    try {
      return log.get()!;
    } catch {
      return { log: 0, checkpointed: 0 };
    }
  };
  const checkpointAtCommits = () => writer.run(CHECKPOINT_AT_COMMIT);
  const settle = () => {
    clearTimeout(pause);
    if (isLong || isClosing || checkpoint) return;
    const { log: pages, checkpointed } = pagesOfLog();
    if (pages - checkpointed >= CHECKPOINT_PAGES) checkpoint = writeInBackground(pages);
    else checkpointAtCommits();
  };
  /** Retries while some of these pages are not written yet. Commits write the pages after them. */
  const writeInBackground = async (pages: number) => {
    const isDone = await checkpointSqliteInWorker(writer.filename).then(
      () => true,
      () => false,
    );
    checkpoint = undefined;
    if (isLong || isClosing) return;
    const now = pagesOfLog();
    const isBlocked = now.checkpointed < pages && now.log >= pages;
    if (isDone && isBlocked) pause = setTimeout(settle, PAUSE_MS);
    else checkpointAtCommits();
  };
  const end = () => {
    if (!isLong) return;
    isLong = false;
    writer.run(LARGE_CACHE);
    settle();
  };
  return {
    begin() {
      isLong = true;
      writer.run(SMALL_CACHE);
      writer.run(CHECKPOINT_NEVER);
    },
    end,
    /** Starts no further checkpoint, and resolves when the current one has ended. */
    async close() {
      isClosing = true;
      clearTimeout(pause);
      await checkpoint;
    },
  };
}

import type { Database } from "bun:sqlite";
import { checkpointBeside } from "./checkpoint.ts";

/** Pages of the log that are written into the database by the commit that comes to as many. */
const CHECKPOINT_PAGES = 3000;
export const CHECKPOINT_AT_COMMIT = `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`;
const CHECKPOINT_NEVER = "PRAGMA wal_autocheckpoint = 0";

/** 32 MiB: pages that a transaction changes are written into the log at its commit, unless there are more. */
export const LARGE_CACHE = "PRAGMA cache_size = -32768";
const SMALL_CACHE = "PRAGMA cache_size = -4096";

/** Between two attempts, where something still reads what was before. */
const PAUSE_MS = 1000;

/**
 * What keeps the commit of a long transaction short. Once a transaction turns out to be long, its changed pages go into
 * the log while it goes on, some at each step, and not all at its commit; and the log is then written into the database
 * on another thread. What is committed is as durable as ever: the checkpoint is not part of that. `reader` is asked how
 * far it is: a connection that writes tells only between its transactions.
 */
export function longTransactions(writer: Database, reader: Database) {
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
  const leaveToCommits = () => writer.run(CHECKPOINT_AT_COMMIT);
  const settle = () => {
    clearTimeout(pause);
    if (isLong || isClosing || checkpoint) return;
    const { log: pages, checkpointed } = pagesOfLog();
    if (pages - checkpointed >= CHECKPOINT_PAGES) checkpoint = writeBeside(pages);
    else leaveToCommits();
  };
  /** Tries again where so many pages are not all written yet. What came after them the commits see to. */
  const writeBeside = async (pages: number) => {
    const isDone = await checkpointBeside(writer.filename).then(
      () => true,
      () => false,
    );
    checkpoint = undefined;
    if (isLong || isClosing) return;
    const now = pagesOfLog();
    const isHeldUp = now.checkpointed < pages && now.log >= pages;
    if (isDone && isHeldUp) pause = setTimeout(settle, PAUSE_MS);
    else leaveToCommits();
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
    /** Begins nothing more, and resolves once nothing is under way. */
    async close() {
      isClosing = true;
      clearTimeout(pause);
      await checkpoint;
    },
  };
}

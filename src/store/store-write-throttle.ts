import type { Instant } from "../domain/time.ts";
import type { Store } from "./store.ts";

/** Longer than the time between two attempts of another process to write. */
const LONG_PAUSE_MS = 17;
const SHORT_PAUSE_MS = 2;
const REMEMBERED_MS = 5_000;

/** Returns a function that tells whether another process has written within the last seconds; never in a shared database. */
export function watchStoreForWritesOfOthers(
  store: Pick<Store, "dataVersion" | "isShared">,
  clock: () => Instant,
): () => boolean {
  let version = store.dataVersion();
  let sharedUntil = 0;
  return () => {
    const seen = store.dataVersion();
    if (seen !== version && !store.isShared) sharedUntil = clock() + REMEMBERED_MS;
    version = seen;
    return clock() < sharedUntil;
  };
}

/**
 * Makes the pause between the transactions of a long command, in which other processes can write. It is short until
 * another process has written, and then long enough for each write that waits. A shared database, which several
 * processes write to concurrently, needs only the short pause.
 */
export function createStoreWriteThrottle(
  store: Pick<Store, "dataVersion" | "isShared">,
  clock: () => Instant,
  othersWrite = watchStoreForWritesOfOthers(store, clock),
): () => Promise<void> {
  return () => Bun.sleep(othersWrite() ? LONG_PAUSE_MS : SHORT_PAUSE_MS);
}

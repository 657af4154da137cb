import type { Instant } from "../domain/time.ts";
import type { Store } from "./store.ts";

/** Longer than another process waits between two attempts to write. */
const WINDOW_MS = 17;
const ALONE_MS = 1;
const REMEMBERED_MS = 5_000;

/**
 * A pause between the transactions of a long command that leaves the database to a process beside it: a moment, within which
 * a first write gets in sooner or later, and once that was seen, long enough for every write that waits. A database that
 * several processes write to side by side needs no more than the moment.
 */
export function writeThrottle(
  store: Pick<Store, "dataVersion" | "isShared">,
  clock: () => Instant,
  sleep: (ms: number) => Promise<void> = (ms) => Bun.sleep(ms),
): () => Promise<void> {
  let version = store.dataVersion();
  let sharedUntil = 0;
  return async () => {
    const seen = store.dataVersion();
    if (seen !== version && !store.isShared) sharedUntil = clock() + REMEMBERED_MS;
    version = seen;
    await sleep(clock() < sharedUntil ? WINDOW_MS : ALONE_MS);
  };
}

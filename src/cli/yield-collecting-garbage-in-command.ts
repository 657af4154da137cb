import type { Yield } from "../event-loop/event-loop.ts";

/** Memory growth, in bytes, after which garbage is collected. */
const GARBAGE = 50e6;
/** Pauses between two measurements, which take as long as the pauses themselves. */
const PAUSES = 16;

/**
 * Adds a garbage collection to the pause once memory has grown, for commands that read every row and keep little of it. The
 * delay does not matter in a process without requests.
 */
export function yieldCollectingGarbageInCommand(yieldNow: Yield): Yield {
  let settled = process.memoryUsage.rss();
  let pauses = 0;
  return async () => {
    await yieldNow();
    if (++pauses % PAUSES !== 0) return;
    if (process.memoryUsage.rss() < settled + GARBAGE) return;
    Bun.gc(true);
    settled = process.memoryUsage.rss();
  };
}

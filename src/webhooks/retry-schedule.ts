import type { Instant } from "../domain/time.ts";

/** From the start of an attempt to the start of the next: the three of a cycle stand at 0, 5 and 35 s. */
const DELAYS_MS = [5_000, 30_000] as const;

/** No attempt is ever planned further ahead than this. One that seems to be was planned before the clock was set back. */
export const LONGEST_DELAY_MS = Math.max(...DELAYS_MS);

/**
 * When the attempt after number `attempt` (1 to 3) is due, or null when that was the last. Measured from the
 * failed one's start, yet never before its end.
 */
export function nextAttemptAt(attempt: number, startedAt: Instant, durationMs: number): Instant | null {
  const delayMs = DELAYS_MS[attempt - 1];
  return delayMs === undefined ? null : startedAt + Math.max(delayMs, durationMs);
}

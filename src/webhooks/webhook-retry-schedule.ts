import type { Instant } from "../domain/time.ts";

/** Between the starts of two attempts: the three attempts of a cycle start at 0, 5 and 35 s. */
const DELAYS_MS = [5_000, 30_000] as const;

/** No attempt is scheduled further ahead. One that appears to be was scheduled before the clock was set back. */
export const MAX_DELAY_MS = Math.max(...DELAYS_MS);

/**
 * Returns when the attempt after `attempt` (1 to 3) is due, or null after the last one. The delay is measured from the
 * start of the failed attempt, but the next one never starts before it has ended.
 */
export function nextWebhookAttemptAt(
  attempt: number,
  startedAt: Instant,
  durationMs: number,
): Instant | null {
  const delayMs = DELAYS_MS[attempt - 1];
  return delayMs === undefined ? null : startedAt + Math.max(delayMs, durationMs);
}

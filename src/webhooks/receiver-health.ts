import type { Instant } from "../domain/time.ts";

/**
 * How a partner's receiver has been doing since its last success. While it is paused its deliveries stay pending and
 * use up no attempts; one of them is tried from time to time, as a probe.
 */
export type ReceiverHealth = {
  /** Failed attempts in a row. */
  failures: number;
  /** When the first of them started; null when there is none. */
  failingSince: Instant | null;
  /** Null while deliveries go out. */
  pausedAt: Instant | null;
  /** Of the latest failure, in words. */
  lastError: string | null;
};

export const HEALTHY: ReceiverHealth = { failures: 0, failingSince: null, pausedAt: null, lastError: null };

/** Both must be exceeded before a receiver is paused. */
export type PauseLimits = { failures: number; failingMs: number };

/**
 * Twenty attempts over ten minutes: a delivery's three attempts, a restart or a short outage never get there, so
 * deliveries fail and are retried as the schedule says; a partner with little traffic needs seven lost deliveries.
 */
export const DEFAULT_PAUSE_LIMITS: PauseLimits = { failures: 20, failingMs: 600_000 };

/** The health after an attempt that started at `startedAt`. Any success makes the receiver healthy and resumes it. */
export function healthAfter(
  health: ReceiverHealth,
  attempt: { ok: boolean; error: string | null; startedAt: Instant },
  limits: PauseLimits,
): ReceiverHealth {
  if (attempt.ok) return HEALTHY;
  const failures = health.failures + 1;
  const failingSince = Math.min(health.failingSince ?? attempt.startedAt, attempt.startedAt);
  const isPaused = failures >= limits.failures && attempt.startedAt - failingSince >= limits.failingMs;
  const pausedAt = health.pausedAt ?? (isPaused ? attempt.startedAt : null);
  return { failures, failingSince, pausedAt, lastError: attempt.error };
}

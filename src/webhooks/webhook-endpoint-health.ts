import type { Instant } from "../domain/time.ts";

/**
 * The failures of a partner's webhook endpoint since its last success. While it is paused, its deliveries stay pending
 * and no attempts are counted; periodically, one of them is sent as a probe.
 */
export type EndpointHealth = {
  /** Consecutive failed attempts. */
  failures: number;
  /** When the first of them started; null if there is none. */
  failingSince: Instant | null;
  /** Null unless the endpoint is paused. */
  pausedAt: Instant | null;
  /** The cause of the latest failure. */
  lastError: string | null;
};

export const HEALTHY: EndpointHealth = { failures: 0, failingSince: null, pausedAt: null, lastError: null };

/** An endpoint is paused once it reaches both. */
export type PauseLimits = { failures: number; failingMs: number };

/**
 * Twenty failed attempts over ten minutes. The three attempts of one delivery, a restart or a short outage do not reach
 * these limits. With little traffic, seven deliveries fail before the endpoint is paused.
 */
export const DEFAULT_PAUSE_LIMITS: PauseLimits = { failures: 20, failingMs: 600_000 };

/** Returns the health after an attempt. A success resets it, which resumes a paused endpoint. */
export function webhookEndpointHealthAfter(
  health: EndpointHealth,
  attempt: { ok: boolean; error: string | null; startedAt: Instant },
  limits: PauseLimits,
): EndpointHealth {
  if (attempt.ok) return HEALTHY;
  const failures = health.failures + 1;
  const failingSince = Math.min(health.failingSince ?? attempt.startedAt, attempt.startedAt);
  const isPaused = failures >= limits.failures && attempt.startedAt - failingSince >= limits.failingMs;
  const pausedAt = health.pausedAt ?? (isPaused ? attempt.startedAt : null);
  return { failures, failingSince, pausedAt, lastError: attempt.error };
}

import type { Instant } from "../domain/time.ts";

/** One of the servers on a database. Instants are by the database's clock. */
export type ClusterServer = {
  /** Identifies the process: a restarted server has another. */
  id: string;
  /** The address that it listens on. */
  address: string;
  version: string;
  /** The number of the newest migration that it knows. */
  schemaVersion: number;
  /** The version of its scoring model, without local calibration. */
  model: string;
  startedAt: Instant;
  seenAt: Instant;
  /** Its own clock minus the database's. */
  clockOffMs: number;
};

/** A server with its state. */
export type ListedServer = ClusterServer & {
  isAlive: boolean;
  /** Milliseconds since its last heartbeat. */
  silentMs: number;
  leases: number;
};

/** A server whose clock differs from the database's by more warns and takes no snapshots. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns the smallest offset, in milliseconds, that explains why another clock, read once between `before` and `after`,
 * showed `other`; 0 if the clocks may agree.
 */
export function clusterClockOffset(before: Instant, after: Instant, other: Instant): number {
  if (other > after) return after - other;
  return other < before ? before - other : 0;
}

export const isClusterClockOffsetTooLarge = (clockOffMs: number): boolean =>
  Math.abs(clockOffMs) > CLOCK_TOLERANCE_MS;

/**
 * Returns whether no live server scores with a newer model. A server with an older model must not take snapshots beside
 * one: each would overwrite the scores of the other.
 */
export function isNewestModelInCluster(
  model: string,
  alive: readonly Pick<ClusterServer, "model">[],
): boolean {
  return alive.every((other) => Number.parseFloat(other.model) <= Number.parseFloat(model));
}

import type { Instant } from "./time.ts";

/** One of the servers that share a database. Instants are by the database's clock. */
export type Server = {
  /** Of the process: a restarted server is another one. */
  id: string;
  /** Where it listens, as far as it knows. */
  address: string;
  version: string;
  /** The newest step of the schema that it knows. */
  schemaVersion: number;
  /** The model that it scores with, without local corrections. */
  model: string;
  startedAt: Instant;
  seenAt: Instant;
  /** Its own clock minus the database's. */
  clockOffMs: number;
};

/** A server with what it holds. */
export type ListedServer = Server & {
  isAlive: boolean;
  /** Since it was last seen. */
  silentMs: number;
  leases: number;
};

/** A server whose clock is further off than this says so, and takes no snapshot. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * How far a clock is off from another that was read once between `before` and `after`: the least that is certain,
 * since nobody knows when in between.
 */
export function clockOff(before: Instant, after: Instant, other: Instant): number {
  if (other > after) return after - other;
  return other < before ? before - other : 0;
}

export const isClockOff = (clockOffMs: number): boolean => Math.abs(clockOffMs) > CLOCK_TOLERANCE_MS;

/**
 * Whether a server may take snapshots beside those that are alive: while one is there that scores by a newer model,
 * an older one would undo what that does, and that again.
 */
export function isNewestModel(model: string, alive: readonly Pick<Server, "model">[]): boolean {
  return alive.every((other) => Number.parseFloat(other.model) <= Number.parseFloat(model));
}

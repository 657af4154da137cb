/** The right to do work that one server at a time may do. */
export type Lease = {
  name: string;
  /** Raised whenever the holder changes; of two claims to one name, the greater epoch is valid. */
  epoch: number;
};

/** A lease as its holder tracks it. */
export type HeldLease = Lease & {
  /** When it expires unless it is renewed, by the holder's monotonic clock, in milliseconds. */
  until: number;
};

/** The time until an unrenewed lease expires, and until a silent server counts as dead. */
export const LEASE_MS = 15_000;
/**
 * No lease or lock is granted for longer. One that appears to be was granted before the database's clock was set back, by a
 * holder that has not renewed it since.
 */
export const LONGEST_LEASE_MS = 600_000;
/** Renewals per lease time, so that one may fail without losing the lease. */
export const RENEWALS = 3;

/**
 * Returns when a lease requested at `requestedAt` ends. The database granted it later than that, so it lasts at least as
 * long as its holder assumes.
 */
export const leaseEnd = (requestedAt: number, forMs: number): number => requestedAt + forMs;

/** Returns whether work of up to `needMs` ends before another server may hold the lease. */
export const leaseCoversNeed = (lease: Pick<HeldLease, "until">, now: number, needMs: number): boolean =>
  now + needMs < lease.until;

/** Returns the lease time that always leaves room for work of up to `longestMs` while leases are renewed. */
export const leaseMsForNeed = (longestMs: number): number =>
  Math.max(LEASE_MS, Math.ceil((longestMs + 2_000) * (RENEWALS / (RENEWALS - 1))));

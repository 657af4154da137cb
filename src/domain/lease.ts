/** What one server at a time may do, as it was given to its holder. */
export type Lease = {
  name: string;
  /** Raised whenever it changes hands; of two that act under one name, the greater one is right. */
  epoch: number;
};

/** A lease as its holder knows it. */
export type HeldLease = Lease & {
  /** When it ends unless it is renewed, by the holder's own clock that nobody sets, in milliseconds. */
  until: number;
};

/** How long a lease lasts that nobody renews, and a server that says nothing passes for alive. */
export const LEASE_MS = 15_000;
/** Leases are renewed so many times in their time: one attempt may fail and the lease is kept. */
export const RENEWALS = 3;

/**
 * The end of a lease that was asked for at `askedAt`: it began later than that by the database's clock, so it lasts at
 * least as long as its holder believes.
 */
export const leaseEnd = (askedAt: number, forMs: number): number => askedAt + forMs;

/** Whether something that takes up to `needMs` is over before another may hold the lease. */
export const coversNeed = (lease: Pick<HeldLease, "until">, now: number, needMs: number): boolean =>
  now + needMs < lease.until;

/** How long leases must last so that what takes up to `longestMs` can always be begun while they are renewed. */
export const leaseMsFor = (longestMs: number): number =>
  Math.max(LEASE_MS, Math.ceil((longestMs + 2_000) * (RENEWALS / (RENEWALS - 1))));

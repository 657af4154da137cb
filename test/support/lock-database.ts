import type { LockDatabase } from "../../src/cluster/locks.ts";
import type { Store } from "../../src/store/store.ts";

/** The store with a known id for every lock that is acquired through it, so that a test can release it for another. */
export const withLockId = (store: Store, id: string): LockDatabase => ({
  read: store.read,
  write: (run, options) =>
    store.write((tx) => run({ locks: tx.locks, now: tx.now, newId: () => id }), options),
});

import type { LockDatabase } from "../../src/cluster/cluster-locks.ts";
import type { Store } from "../../src/store/store.ts";

/**
 * Wraps the store so that every lock it acquires has a known id, with which a test can release it for another owner.
 */
export const withLockId = (store: Store, id: string): LockDatabase => ({
  read: store.read,
  write: (run, options) =>
    store.write((tx) => run({ locks: tx.locks, now: tx.now, newId: () => id }), options),
});

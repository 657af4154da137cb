import { OperatorError } from "../domain/errors.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { LEASE_MS, RENEWALS } from "./lease.ts";

/*
 * Named locks in the database: of all processes on one database, servers and commands alike, only the holder of a lock
 * may do the work that the lock protects. A lock expires unless its holder renews it, so a killed process blocks others
 * for at most `LEASE_MS`. Holders confirm the lock in each transaction that writes, so a process that was suspended for
 * longer than that cannot write after another has acquired the lock.
 */

const RENEW_INTERVAL_MS = LEASE_MS / RENEWALS;

/** The lock on any work that touches all of a partner's data. */
export const clusterPartnerLockName = (partnerId: string): string => `partner:${partnerId}`;
/** The lock on imports for a partner. An import reserves the partner's row numbers for what is added meanwhile. */
export const clusterImportLockName = (partnerId: string): string => `import:${partnerId}`;

/** The process that holds a lock. */
type LockHolder = {
  /** A description for people, such as `cli:ana on host-1`. */
  owner: string;
  acquiredAt: Instant;
};

/** The table of locks. Expiry goes by the database's clock. */
export type LockRows = {
  /** Acquires the lock if it is free or expired; false if another holds it. */
  acquire(lock: LockHolder & { name: string; id: string }, forMs: number): Promise<boolean>;
  /** Extends the lock; false if it was released or acquired by another. An expired lock that nobody acquired is extended. */
  renew(id: string, forMs: number): Promise<boolean>;
  /** Returns the current holder; undefined if the lock is free. */
  holder(name: string): Promise<LockHolder | undefined>;
  /** Deletes the lock; false if it was not held under this id. */
  release(name: string, id: string): Promise<boolean>;
};

/** The part of a write transaction that locks need. */
type LockTx = { locks: LockRows; now: Instant; newId(kind: "lock"): string };

/** The part of a store that locks need. */
export type LockDatabase = {
  read: { locks: Pick<LockRows, "holder"> };
  write<T>(run: (tx: LockTx) => Promise<T>, options?: { durability: "process" }): Promise<T>;
};

/** A lock as the code that runs under it sees it. */
export type ClusterLock = {
  /** Extends the lock in the transaction of a step. Throws an OperatorError if another process has acquired it. */
  confirm(tx: Pick<LockTx, "locks">): Promise<void>;
};

export type HeldLock = ClusterLock & { release(): Promise<void> };

/** The lock of work that nothing else can be doing at the same time. */
export const NO_LOCK: HeldLock = { confirm: async () => {}, release: async () => {} };

/** The id of an acquired lock, or a description of its present holder. */
export type Acquired = { id: string } | { heldBy: string };

/** Acquires a lock in a transaction that does more. */
export async function acquireClusterLockInTransaction(
  tx: LockTx,
  name: string,
  owner: string,
): Promise<Acquired> {
  const id = tx.newId("lock");
  if (await tx.locks.acquire({ name, id, owner, acquiredAt: tx.now }, LEASE_MS)) return { id };
  const holder = await tx.locks.holder(name);
  // The other holder's lock may have expired since the attempt.
  return { heldBy: holder ? describeHolder(holder) : "another process" };
}

/** Renews an acquired lock in the background until `stop` is called. */
export function renewClusterLockInBackground(
  store: Pick<LockDatabase, "write">,
  id: string,
): ClusterLock & { stop(): void } {
  const renew = () => store.write((tx) => tx.locks.renew(id, LEASE_MS), { durability: "process" });
  // After a failed renewal, the next one or the transaction of a step extends the lock.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_INTERVAL_MS);
  timer.unref();
  return {
    async confirm(tx) {
      if (await tx.locks.renew(id, LEASE_MS)) return;
      throw new OperatorError(
        "this process was suspended for so long that another process may be doing the same work",
        "Run it again once the other process has finished.",
      );
    },
    stop: () => clearInterval(timer),
  };
}

/** Acquires a lock and renews it until it is released; returns a description of the holder if another has it. */
export async function acquireClusterLock(
  store: LockDatabase,
  name: string,
  owner: string,
): Promise<HeldLock | { heldBy: string }> {
  // Read before any write: the holder may be stopped inside a transaction that a write would wait for.
  const heldBy = await clusterLockHolder(store, name);
  if (heldBy !== undefined) return { heldBy };
  const acquired = await store.write((tx) => acquireClusterLockInTransaction(tx, name, owner));
  if ("heldBy" in acquired) return acquired;
  const { id } = acquired;
  const { confirm, stop } = renewClusterLockInBackground(store, id);
  return {
    confirm,
    async release() {
      stop();
      // A lock that cannot be released now expires.
      await store.write((tx) => tx.locks.release(name, id)).catch(() => {});
    },
  };
}

/**
 * Runs under a lock. Throws an OperatorError that names the holder if another process has it; `activity` is what the
 * lock protects, as a clause: "an import for PARTNER_1 is in progress".
 * @example
 * await withClusterLock(store, { name: importLockName(id), owner: "cli:ana on host-1", activity }, async (lock) => {
 *   await store.write(async (tx) => {
 *     await lock.confirm(tx); // first in each transaction: throws once another process has the lock
 *     await addRows(tx);
 *   });
 * });
 */
export async function withClusterLock<T>(
  store: LockDatabase,
  { name, owner, activity }: { name: string; owner: string; activity: string },
  run: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const lock = await acquireClusterLock(store, name, owner);
  if ("heldBy" in lock) throw clusterLockHeldError(activity, lock.heldBy);
  try {
    return await run(lock);
  } finally {
    await lock.release();
  }
}

export const clusterLockHeldError = (activity: string, heldBy: string): OperatorError =>
  new OperatorError(
    `${activity} already, by ${heldBy}`,
    `Nothing was changed. Wait until it has finished; an interrupted one is released within ${LEASE_MS / 1000} seconds.`,
  );

/** Returns a description of the present holder; undefined if the lock is free. */
export async function clusterLockHolder(
  store: Pick<LockDatabase, "read">,
  name: string,
): Promise<string | undefined> {
  const holder = await store.read.locks.holder(name);
  return holder && describeHolder(holder);
}

const describeHolder = ({ owner, acquiredAt }: LockHolder): string =>
  `${owner}, since ${isoTextOfInstant(acquiredAt)}`;

import { and, eq, gt, lt, lte, not, or, sql } from "drizzle-orm";
import type { LockRows } from "../../cluster/cluster-locks.ts";
import { LONGEST_LEASE_MS } from "../../cluster/lease.ts";
import { MS_PER_DAY } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

/** Locks by name. `expires_at` is by the database's clock, `acquired_at` by that of the holder. */
export function lockStore(engine: Engine) {
  const { db, now } = engine;
  const { locks } = engine.tables;
  const expiry = (forMs: number) => sql<number>`${now} + ${forMs}`;
  const isAhead = gt(locks.expiresAt, sql`${now} + ${LONGEST_LEASE_MS}`);
  return {
    async acquire(lock, forMs) {
      const row = { ...lock, expiresAt: expiry(forMs) };
      const { name: _, ...set } = row;
      const acquired = await db
        .insert(locks)
        .values(row)
        .onConflictDoUpdate({ target: locks.name, set, setWhere: or(lte(locks.expiresAt, now), isAhead) })
        .returning({ name: locks.name });
      return acquired.length > 0;
    },
    async renew(id, forMs) {
      const renewed = db
        .update(locks)
        .set({ expiresAt: expiry(forMs) })
        .where(eq(locks.id, id));
      return (await renewed.returning({ name: locks.name })).length > 0;
    },
    async holder(name) {
      const held = and(eq(locks.name, name), gt(locks.expiresAt, now), not(isAhead));
      return (
        await db.select({ owner: locks.owner, acquiredAt: locks.acquiredAt }).from(locks).where(held)
      )[0];
    },
    async release(name, id) {
      const mine = and(eq(locks.name, name), eq(locks.id, id));
      return (await db.delete(locks).where(mine).returning({ name: locks.name })).length > 0;
    },
    /** Deletes the locks that expired more than a day ago. */
    async prune(): Promise<void> {
      await db.delete(locks).where(lt(locks.expiresAt, sql`${now} - ${MS_PER_DAY}`));
    },
  } satisfies LockRows & { prune(): Promise<void> };
}

import { and, asc, count, eq, gt, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { ServerRows } from "../../cluster/cluster-leases-and-servers.ts";
import { CLOCK_TOLERANCE_MS, type ListedServer } from "../../cluster/cluster-server.ts";
import { type Lease, LONGEST_LEASE_MS } from "../../cluster/lease.ts";
import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

/** Names in one statement. */
const MOST_NAMES = 200;

/** The servers on the database and their leases. All instants are by the database's clock. */
export function serverStore(engine: Engine) {
  const { db, now } = engine;
  const { servers, leases } = engine.tables;
  const lease = { name: leases.name, epoch: leases.epoch };
  const expiry = (forMs: number) => sql<number>`${now} + ${forMs}`;
  const isOver = or(lte(leases.expiresAt, now), gt(leases.expiresAt, sql`${now} + ${LONGEST_LEASE_MS}`));
  /** A run for a time ahead of what any server's clock may show is one from before the clocks were set back. */
  const isAhead = sql`${leases.scheduledFor} > ${now} + ${2 * CLOCK_TOLERANCE_MS}`;

  /** Acquires the leases that meet the condition, in the order of their names, so that two servers never deadlock. */
  async function acquireEach(
    holder: string,
    names: readonly string[],
    forMs: number,
    scheduledFor: Instant,
    isFree: SQL | undefined,
  ): Promise<Lease[]> {
    const taken: Lease[] = [];
    const sorted = [...new Set(names)].sort();
    for (let at = 0; at < sorted.length; at += MOST_NAMES) {
      const rows = sorted
        .slice(at, at + MOST_NAMES)
        .map((name) => ({ name, holder, epoch: 1, scheduledFor, expiresAt: expiry(forMs) }));
      const isMine = sql`${leases.holder} = excluded.holder and ${leases.expiresAt} > ${now}`;
      const kept = {
        holder: sql`excluded.holder`,
        expiresAt: sql`excluded.expires_at`,
        scheduledFor: sql`case when ${leases.scheduledFor} > excluded.scheduled_for and not ${isAhead} then ${leases.scheduledFor} else excluded.scheduled_for end`,
        epoch: sql`case when ${isMine} then ${leases.epoch} else ${leases.epoch} + 1 end`,
      };
      const insert = db.insert(leases).values(rows);
      const take = insert.onConflictDoUpdate({ target: leases.name, set: kept, setWhere: isFree! });
      taken.push(...(await take.returning(lease)));
    }
    return taken;
  }

  return {
    async join(server) {
      const moments = { startedAt: sql<number>`${now}`, seenAt: sql<number>`${now}` };
      const joined = db.insert(servers).values({ ...server, ...moments });
      return (await joined.returning({ seenAt: servers.seenAt }))[0]!.seenAt;
    },
    async touch(server) {
      const seen = { ...server, seenAt: sql<number>`${now}` };
      const updated = db.update(servers).set(seen).where(eq(servers.id, server.id));
      return (await updated.returning({ seenAt: servers.seenAt }))[0]?.seenAt;
    },
    async alive(withinMs) {
      const seen = and(
        gt(servers.seenAt, sql`${now} - ${withinMs}`),
        lte(servers.seenAt, sql`${now} + ${LONGEST_LEASE_MS}`),
      );
      return await db.select().from(servers).where(seen).orderBy(asc(servers.startedAt), asc(servers.id));
    },
    /** Lists the servers of the last day, oldest first, each with the number of its leases. */
    async list(aliveWithinMs: number): Promise<ListedServer[]> {
      const held = db
        .select({ holder: leases.holder, held: count().as("held") })
        .from(leases)
        .where(gt(leases.expiresAt, now))
        .groupBy(leases.holder)
        .as("held_leases");
      const rows = await db
        .select({ server: servers, leases: held.held, databaseNow: sql<number>`${now}` })
        .from(servers)
        .leftJoin(held, eq(held.holder, servers.id))
        .orderBy(asc(servers.startedAt), asc(servers.id));
      return rows.map(({ server, leases, databaseNow }) => {
        const silentMs = Math.max(0, Number(databaseNow) - server.seenAt);
        const isAhead = server.seenAt > Number(databaseNow) + LONGEST_LEASE_MS;
        return {
          ...server,
          silentMs,
          isAlive: silentMs < aliveWithinMs && !isAhead,
          leases: Number(leases ?? 0),
        };
      });
    },
    async leave(id) {
      await db.update(leases).set({ expiresAt: 0 }).where(eq(leases.holder, id));
      await db.delete(servers).where(eq(servers.id, id));
    },
    /** Deletes servers that were not seen for a day, and leases that expired more than a day ago. */
    async prune(): Promise<void> {
      const longAgo = sql`${now} - ${MS_PER_DAY}`;
      await db.delete(servers).where(lt(servers.seenAt, longAgo));
      // A scheduled lease records the last run of its job.
      await db.delete(leases).where(and(lt(leases.expiresAt, longAgo), eq(leases.scheduledFor, 0)));
    },
    async acquire(holder, names, forMs) {
      const isFree = or(isOver, eq(leases.holder, holder));
      return await acquireEach(holder, names, forMs, 0, isFree);
    },
    async acquireScheduled(holder, name, scheduledFor, forMs) {
      const isFree = and(isOver, or(lt(leases.scheduledFor, scheduledFor), isAhead));
      return (await acquireEach(holder, [name], forMs, scheduledFor, isFree))[0];
    },
    async renew(holder, forMs) {
      return await db
        .update(leases)
        .set({ expiresAt: expiry(forMs) })
        .where(and(eq(leases.holder, holder), gt(leases.expiresAt, 0)))
        .returning(lease);
    },
    async confirm(holder, names) {
      const kept: Lease[] = [];
      const sorted = [...new Set(names)].sort();
      for (let at = 0; at < sorted.length; at += MOST_NAMES) {
        const some = inArray(leases.name, sorted.slice(at, at + MOST_NAMES));
        const written = db
          .update(leases)
          .set({ holder })
          .where(and(eq(leases.holder, holder), some));
        kept.push(...(await written.returning(lease)));
      }
      return kept;
    },
    async release(holder, names) {
      for (let at = 0; at < names.length; at += MOST_NAMES) {
        const some = inArray(leases.name, names.slice(at, at + MOST_NAMES));
        await db
          .update(leases)
          .set({ expiresAt: 0 })
          .where(and(eq(leases.holder, holder), some));
      }
    },
  } satisfies ServerRows & Record<"list" | "prune", unknown>;
}

import { and, asc, count, eq, gt, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Lease } from "../../domain/lease.ts";
import type { ListedServer, Server } from "../../domain/server.ts";
import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

/** Names in one statement; more are asked for by several. */
const MOST_NAMES = 200;

/** The servers on the database and what each of them holds. All instants are by the database's clock. */
export function serverStore(engine: Engine) {
  const { db, now } = engine;
  const { servers, leases } = engine.tables;
  const lease = { name: leases.name, epoch: leases.epoch };

  /** Takes those of the leases that the condition lets, in one order, so that two servers never wait for each other. */
  async function takeEach(
    holder: string,
    names: readonly string[],
    forMs: number,
    turn: Instant,
    isFree: SQL | undefined,
  ): Promise<Lease[]> {
    const taken: Lease[] = [];
    const sorted = [...new Set(names)].sort();
    for (let at = 0; at < sorted.length; at += MOST_NAMES) {
      const rows = sorted
        .slice(at, at + MOST_NAMES)
        .map((name) => ({ ...{ name, holder, epoch: 1, turn }, until: sql<number>`${now} + ${forMs}` }));
      const isMine = sql`${leases.holder} = excluded.holder and ${leases.until} > ${now}`;
      const kept = {
        holder: sql`excluded.holder`,
        until: sql`excluded.until`,
        turn: sql`case when excluded.turn > ${leases.turn} then excluded.turn else ${leases.turn} end`,
        epoch: sql`case when ${isMine} then ${leases.epoch} else ${leases.epoch} + 1 end`,
      };
      const insert = db.insert(leases).values(rows);
      const take = insert.onConflictDoUpdate({ target: leases.name, set: kept, setWhere: isFree! });
      taken.push(...(await take.returning(lease)));
    }
    return taken;
  }

  return {
    /** Takes a server in that is not there; returns the database's moment. */
    async join(server: Omit<Server, "startedAt" | "seenAt">): Promise<Instant> {
      const moments = { startedAt: sql<number>`${now}`, seenAt: sql<number>`${now}` };
      const joined = db.insert(servers).values({ ...server, ...moments });
      return (await joined.returning({ seenAt: servers.seenAt }))[0]!.seenAt;
    },
    /** Says that the server is there still; returns the database's moment, and undefined where it was taken out. */
    async beat(server: Omit<Server, "startedAt" | "seenAt">): Promise<Instant | undefined> {
      const seen = { ...server, seenAt: sql<number>`${now}` };
      const beaten = db.update(servers).set(seen).where(eq(servers.id, server.id));
      return (await beaten.returning({ seenAt: servers.seenAt }))[0]?.seenAt;
    },
    /** Those that were seen within `withinMs`. */
    async alive(withinMs: number): Promise<Server[]> {
      const seen = gt(servers.seenAt, sql`${now} - ${withinMs}`);
      return await db.select().from(servers).where(seen).orderBy(asc(servers.startedAt), asc(servers.id));
    },
    /** All that were seen of late, with what they hold. */
    async list(aliveWithinMs: number): Promise<ListedServer[]> {
      const held = db
        .select({ holder: leases.holder, held: count().as("held") })
        .from(leases)
        .where(gt(leases.until, now))
        .groupBy(leases.holder)
        .as("held_leases");
      const rows = await db
        .select({ server: servers, leases: held.held, databaseNow: sql<number>`${now}` })
        .from(servers)
        .leftJoin(held, eq(held.holder, servers.id))
        .orderBy(asc(servers.startedAt), asc(servers.id));
      return rows.map(({ server, leases, databaseNow }) => {
        const silentMs = Math.max(0, Number(databaseNow) - server.seenAt);
        return { ...server, silentMs, isAlive: silentMs < aliveWithinMs, leases: Number(leases ?? 0) };
      });
    },
    /** Takes a server out, with what it holds. */
    async leave(id: string): Promise<void> {
      await db.update(leases).set({ until: 0 }).where(eq(leases.holder, id));
      await db.delete(servers).where(eq(servers.id, id));
    },
    /** Forgets servers that were not seen for a day, and leases that nobody has wanted for as long. */
    async forgetGone(): Promise<void> {
      const longAgo = sql`${now} - ${MS_PER_DAY}`;
      await db.delete(servers).where(lt(servers.seenAt, longAgo));
      // One with a turn says until when its job was run.
      await db.delete(leases).where(and(lt(leases.until, longAgo), eq(leases.turn, 0)));
    },
    /** Of the leases, those that the holder has now: its own, and those that nobody held. */
    async take(holder: string, names: readonly string[], forMs: number): Promise<Lease[]> {
      const isFree = or(lte(leases.until, now), eq(leases.holder, holder));
      return await takeEach(holder, names, forMs, 0, isFree);
    },
    /** Takes a lease that nobody holds for a time of its pattern; undefined when that was taken before. */
    async takeTurn(holder: string, name: string, turn: Instant, forMs: number): Promise<Lease | undefined> {
      const isFree = and(lte(leases.until, now), lt(leases.turn, turn));
      return (await takeEach(holder, [name], forMs, turn, isFree))[0];
    },
    /** Lengthens all that the holder has; returns them. What has ended and nobody took is its again. */
    async renew(holder: string, forMs: number): Promise<Lease[]> {
      return await db
        .update(leases)
        .set({ until: sql`${now} + ${forMs}` })
        .where(and(eq(leases.holder, holder), gt(leases.until, 0)))
        .returning(lease);
    },
    /** Those of the leases that the holder has still: nobody takes them before the transaction ends. */
    async confirm(holder: string, names: readonly string[]): Promise<Lease[]> {
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
    /** Who has the lease now; undefined when nobody has. */
    async holderOf(name: string): Promise<string | undefined> {
      const held = and(eq(leases.name, name), gt(leases.until, now));
      return (await db.select({ holder: leases.holder }).from(leases).where(held))[0]?.holder;
    },
    /** Ends a lease, and leaves nothing of it behind; whether it was the holder's still. */
    async drop(holder: string, name: string): Promise<boolean> {
      const isMine = and(eq(leases.name, name), eq(leases.holder, holder));
      return (await db.delete(leases).where(isMine).returning({ name: leases.name })).length > 0;
    },
    async release(holder: string, names: readonly string[]): Promise<void> {
      for (let at = 0; at < names.length; at += MOST_NAMES) {
        const some = inArray(leases.name, names.slice(at, at + MOST_NAMES));
        await db
          .update(leases)
          .set({ until: 0 })
          .where(and(eq(leases.holder, holder), some));
      }
    },
  };
}

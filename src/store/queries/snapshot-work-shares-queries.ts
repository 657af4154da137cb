import { and, count, eq, gt, lte, sql } from "drizzle-orm";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

const { placeholder } = sql;

/** A partner's part of a day's snapshot that several servers take together. */
export type SnapshotShare = {
  partnerId: string;
  /** The number of the partner's last property that is done; 0 at the start. */
  doneSeq: number;
};

const COUNTS = ["components", "changed", "critical", "warning", "announced", "queued", "suppressed"] as const;
type ShareCounts = Record<(typeof COUNTS)[number], number>;

/** The shares of a snapshot. A server has a share from its claim until the end of that transaction. */
export function snapshotWorkShareStore(engine: Engine) {
  const { db } = engine;
  const { partners, snapshotShares: shares } = engine.tables;
  const claim = engine.prepared(() =>
    db
      .update(shares)
      .set({ isDone: false })
      .where(
        and(
          eq(shares.day, placeholder("day")),
          // Materialized, so that PostgreSQL selects the rows once, whatever plan the update has.
          sql`${shares.partnerId} in (
            with free as materialized (
              select of_day.partner_id from ${shares} of_day
              where of_day.day = ${placeholder("day")} and of_day.is_done = false
                and of_day.partner_id > ${placeholder("after")}
              order by of_day.partner_id limit ${placeholder("limit")} ${engine.skipLocked})
            select partner_id from free)`,
        ),
      )
      .returning({ partnerId: shares.partnerId, cursor: shares.cursor }),
  );
  const complete = engine.prepared(() =>
    db
      .update(shares)
      .set({ isDone: true })
      .where(and(eq(shares.day, placeholder("day")), engine.isAmong(shares.partnerId, "partnerIds"))),
  );
  const open = engine.prepared(() =>
    db
      .select({ n: count() })
      .from(shares)
      .where(and(eq(shares.day, placeholder("day")), eq(shares.isDone, false))),
  );
  const ofDay = (day: Day) => eq(shares.day, day);

  return {
    /** Inserts a share for each partner; returns their number. */
    async open(day: Day): Promise<number> {
      await db.delete(shares).where(ofDay(day));
      const ids = await db.select({ partnerId: partners.id }).from(partners);
      if (ids.length > 0) await db.insert(shares).values(ids.map(({ partnerId }) => ({ day, partnerId })));
      return ids.length;
    },
    /**
     * Claims the next unfinished shares after a partner that no other transaction has locked, at most `limit`, in the order of
     * the partners.
     */
    async claim(day: Day, after: string, limit: number): Promise<SnapshotShare[]> {
      const claimed = await claim().execute({ day, after, limit });
      return claimed
        .map(({ partnerId, cursor }) => ({ partnerId, doneSeq: Number(cursor) }))
        .sort((one, other) => (one.partnerId < other.partnerId ? -1 : 1));
    },
    /** Marks claimed shares as done. */
    async complete(day: Day, partnerIds: readonly string[]): Promise<void> {
      if (partnerIds.length > 0) await complete().execute({ day, partnerIds: engine.list(partnerIds) });
    },
    /** Adds the results of a step to a claimed share. */
    async add(day: Day, share: SnapshotShare, counts: ShareCounts, isDone: boolean): Promise<void> {
      const added = Object.fromEntries(COUNTS.map((name) => [name, sql`${shares[name]} + ${counts[name]}`]));
      await db
        .update(shares)
        .set({ ...added, cursor: String(share.doneSeq), isDone })
        .where(and(ofDay(day), eq(shares.partnerId, share.partnerId)));
    },
    /** Counts the unfinished shares, including claimed ones. */
    async left(day: Day): Promise<number> {
      return Number((await open().execute({ day }))[0]!.n);
    },
    async any(day: Day): Promise<boolean> {
      return (await db.select({ day: shares.day }).from(shares).where(ofDay(day)).limit(1)).length > 0;
    },
    /** Returns the sums of all shares. */
    async sum(day: Day): Promise<ShareCounts> {
      const sums = COUNTS.map((name) => [name, sql<number>`coalesce(sum(${shares[name]}), 0)`.as(name)]);
      const [row] = await db.select(Object.fromEntries(sums)).from(shares).where(ofDay(day));
      return Object.fromEntries(COUNTS.map((name) => [name, Number(row![name])])) as ShareCounts;
    },
    /** Returns the shares of later days, with their results, in no order. */
    async after(day: Day) {
      return await db.select().from(shares).where(gt(shares.day, day));
    },
    /** Deletes the shares of later days after the transactions that have claimed them; returns their results. */
    async forgetAfter(day: Day) {
      return await db.delete(shares).where(gt(shares.day, day)).returning();
    },
    /** Deletes the shares of the day and earlier days. */
    async forget(day: Day): Promise<void> {
      await db.delete(shares).where(lte(shares.day, day));
    },
  };
}

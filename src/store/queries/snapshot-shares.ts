import { and, count, eq, gt, lte, sql } from "drizzle-orm";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

const ph = sql.placeholder;

/** A partner's part of a day's snapshot that several servers take together. */
export type SnapshotShare = {
  partnerId: string;
  /** The number of the partner's last property done; 0 at the start. */
  doneSeq: number;
};

const COUNTS = ["components", "changed", "critical", "warning", "announced", "queued", "heldBack"] as const;
export type ShareCounts = Record<(typeof COUNTS)[number], number>;

/** Who takes which part of a snapshot: a share is a server's from its claim until that transaction ends, however it ends. */
export function snapshotShareStore(engine: Engine) {
  const { db } = engine;
  const { partners, snapshotShares: shares } = engine.tables;
  const claim = engine.prepared(() =>
    db
      .update(shares)
      .set({ isDone: false })
      .where(
        and(
          eq(shares.day, ph("day")),
          sql`${shares.partnerId} = (
            select free.partner_id from ${shares} free
            where free.day = ${ph("day")} and free.is_done = false and free.partner_id > ${ph("after")}
            order by free.partner_id limit 1 ${engine.skipLocked})`,
        ),
      )
      .returning({ partnerId: shares.partnerId, cursor: shares.cursor }),
  );
  const open = engine.prepared(() =>
    db
      .select({ n: count() })
      .from(shares)
      .where(and(eq(shares.day, ph("day")), eq(shares.isDone, false))),
  );
  const ofDay = (day: Day) => eq(shares.day, day);

  return {
    /** A share for every partner there is; returns how many. */
    async open(day: Day): Promise<number> {
      await db.delete(shares).where(ofDay(day));
      const ids = await db.select({ partnerId: partners.id }).from(partners);
      if (ids.length > 0) await db.insert(shares).values(ids.map(({ partnerId }) => ({ day, partnerId })));
      return ids.length;
    },
    /** A share that is not done, and that no other transaction holds, of the first partner after one. */
    async claim(day: Day, after: string): Promise<SnapshotShare | undefined> {
      const [claimed] = await claim().execute({ day, after });
      return claimed && { partnerId: claimed.partnerId, doneSeq: Number(claimed.cursor) };
    },
    /** Adds what was done of a claimed share. */
    async add(day: Day, share: SnapshotShare, counts: ShareCounts, isDone: boolean): Promise<void> {
      const added = Object.fromEntries(COUNTS.map((name) => [name, sql`${shares[name]} + ${counts[name]}`]));
      await db
        .update(shares)
        .set({ ...added, cursor: String(share.doneSeq), isDone })
        .where(and(ofDay(day), eq(shares.partnerId, share.partnerId)));
    },
    /** How many are not done, those that others hold among them. */
    async left(day: Day): Promise<number> {
      return Number((await open().execute({ day }))[0]!.n);
    },
    async any(day: Day): Promise<boolean> {
      return (await db.select({ day: shares.day }).from(shares).where(ofDay(day)).limit(1)).length > 0;
    },
    /** What they have come to together. */
    async sum(day: Day): Promise<ShareCounts> {
      const sums = COUNTS.map((name) => [name, sql<number>`coalesce(sum(${shares[name]}), 0)`.as(name)]);
      const [row] = await db.select(Object.fromEntries(sums)).from(shares).where(ofDay(day));
      return Object.fromEntries(COUNTS.map((name) => [name, Number(row![name])])) as ShareCounts;
    },
    /** Those of days after, with what they have come to, in no order. */
    async after(day: Day) {
      return await db.select().from(shares).where(gt(shares.day, day));
    },
    /** Forgets those of days after, once the steps that hold any of them have ended; returns what they had come to. */
    async forgetAfter(day: Day) {
      return await db.delete(shares).where(gt(shares.day, day)).returning();
    },
    /** Forgets those of the day and of days before. */
    async forget(day: Day): Promise<void> {
      await db.delete(shares).where(lte(shares.day, day));
    },
  };
}

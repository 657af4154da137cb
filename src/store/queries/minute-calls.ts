import { and, asc, eq, gt, or, sql } from "drizzle-orm";
import type { CallSlots } from "../../domain/minute-calls.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

const ph = sql.placeholder;

/** A caller's calls of the last minute, where several servers admit them: a partner's, or an address's under another name. */
export function minuteCallStore(engine: Engine) {
  const { db, now } = engine;
  const { minuteCalls } = engine.tables;
  const hold = engine.prepared(() =>
    db
      .insert(minuteCalls)
      .values({ partnerId: ph("partnerId"), slots: "[]" })
      .onConflictDoUpdate({ target: minuteCalls.partnerId, set: { slots: sql`${minuteCalls.slots}` } })
      .returning({ slots: minuteCalls.slots, now: sql<number>`${now}` }),
  );
  return {
    /** What was granted, which nobody else grants of until the transaction ends, and the database's moment. */
    async hold(partnerId: string): Promise<{ slots: CallSlots; now: Instant }> {
      const [held] = await hold().execute({ partnerId });
      return { slots: JSON.parse(held!.slots) as CallSlots, now: Number(held!.now) };
    },
    /**
     * Looks at up to `limit` callers after one, and forgets those who are past by the database's moment and do not call
     * meanwhile; returns the last one that was looked at.
     */
    async prune(
      after: string,
      isPast: (slots: CallSlots, now: Instant) => boolean,
      limit: number,
    ): Promise<string | undefined> {
      const { partnerId, slots } = minuteCalls;
      const rows = await db
        .select({ partnerId, slots, now: sql<number>`${now}` })
        .from(minuteCalls)
        .where(gt(partnerId, after))
        .orderBy(asc(partnerId))
        .limit(limit);
      const past = rows.filter((row) => isPast(JSON.parse(row.slots) as CallSlots, Number(row.now)));
      if (past.length > 0) {
        const asSeen = past.map((row) => and(eq(partnerId, row.partnerId), eq(slots, row.slots)));
        await db.delete(minuteCalls).where(or(...asSeen));
      }
      return rows.at(-1)?.partnerId;
    },
    async save(partnerId: string, slots: CallSlots): Promise<void> {
      await db
        .update(minuteCalls)
        .set({ slots: JSON.stringify(slots) })
        .where(eq(minuteCalls.partnerId, partnerId));
    },
  };
}

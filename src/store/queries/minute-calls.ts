import { asc, eq, gt, inArray, sql } from "drizzle-orm";
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
    /** Forgets up to `limit` callers after one whose latest slot is before that; returns the last one that was looked at. */
    async prune(after: string, beforeSlot: number, limit: number): Promise<string | undefined> {
      const { partnerId } = minuteCalls;
      const rows = await db
        .select()
        .from(minuteCalls)
        .where(gt(partnerId, after))
        .orderBy(asc(partnerId))
        .limit(limit);
      const old = rows.filter(
        ({ slots }) => ((JSON.parse(slots) as CallSlots).at(-1)?.[0] ?? 0) < beforeSlot,
      );
      const ids = old.map((row) => row.partnerId);
      if (ids.length > 0) await db.delete(minuteCalls).where(inArray(partnerId, ids));
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

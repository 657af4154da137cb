import { and, asc, eq, gt, or, sql } from "drizzle-orm";
import type { CallerUsage, RateWindowRows } from "../../cluster/cluster-rate-window-permits.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

const placeholder = sql.placeholder;

const UNUSED: CallerUsage = [[], []];

/** Reads a row. A new one is `[]`; one that an earlier version wrote has pairs of numbers, and belongs to no caller. */
function parseUsage(text: string): CallerUsage {
  const [known, leases] = JSON.parse(text) as Partial<CallerUsage>;
  return known && leases && typeof (known as readonly unknown[])[0] !== "number" ? [known, leases] : UNUSED;
}

/** The calls of each caller in the last minute, where several servers count them. */
export function rateWindowStore(engine: Engine) {
  const { db, now } = engine;
  const { rateWindows } = engine.tables;
  const lock = engine.prepared(() =>
    db
      .insert(rateWindows)
      .values({ caller: placeholder("caller"), slots: "[]" })
      .onConflictDoUpdate({ target: rateWindows.caller, set: { slots: sql`${rateWindows.slots}` } })
      .returning({ slots: rateWindows.slots, now: sql<number>`${now}` }),
  );
  return {
    async lock(caller: string): Promise<{ usage: CallerUsage; now: Instant }> {
      const [locked] = await lock().execute({ caller });
      return { usage: parseUsage(locked!.slots), now: Number(locked!.now) };
    },
    async save(caller: string, usage: CallerUsage): Promise<void> {
      await db
        .update(rateWindows)
        .set({ slots: JSON.stringify(usage) })
        .where(eq(rateWindows.caller, caller));
    },
    async prune(
      after: string,
      isExpired: (usage: CallerUsage, now: Instant) => boolean,
      limit: number,
    ): Promise<string | undefined> {
      const { caller, slots } = rateWindows;
      const rows = await db
        .select({ caller, slots, now: sql<number>`${now}` })
        .from(rateWindows)
        .where(gt(caller, after))
        .orderBy(asc(caller))
        .limit(limit);
      const expired = rows.filter((row) => isExpired(parseUsage(row.slots), Number(row.now)));
      if (expired.length > 0) {
        // Only as read: a caller that was granted calls meanwhile stays.
        const asRead = expired.map((row) => and(eq(caller, row.caller), eq(slots, row.slots)));
        await db.delete(rateWindows).where(or(...asRead));
      }
      return rows.at(-1)?.caller;
    },
  } satisfies RateWindowRows;
}

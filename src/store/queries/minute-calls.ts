import { eq, sql } from "drizzle-orm";
import type { CallSlots } from "../../domain/minute-calls.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

const ph = sql.placeholder;

/** A partner's calls of the last minute, where several servers admit them. */
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
    async save(partnerId: string, slots: CallSlots): Promise<void> {
      await db
        .update(minuteCalls)
        .set({ slots: JSON.stringify(slots) })
        .where(eq(minuteCalls.partnerId, partnerId));
    },
  };
}

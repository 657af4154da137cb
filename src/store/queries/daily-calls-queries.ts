import { and, asc, eq, gt, gte, lt, sql } from "drizzle-orm";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

const { placeholder } = sql;

/** The calls taken from the partners' daily limits. */
export function dailyCallStore(engine: Engine) {
  const { db } = engine;
  const { dailyBudgets } = engine.tables;
  const taken = engine.prepared(() =>
    db
      .select({ calls: dailyBudgets.calls })
      .from(dailyBudgets)
      .where(
        and(eq(dailyBudgets.partnerId, placeholder("partnerId")), eq(dailyBudgets.day, placeholder("day"))),
      ),
  );
  const add = engine.prepared(() =>
    db
      .insert(dailyBudgets)
      .values({ partnerId: placeholder("partnerId"), day: placeholder("day"), calls: placeholder("calls") })
      .onConflictDoUpdate({
        target: [dailyBudgets.partnerId, dailyBudgets.day],
        set: { calls: sql`${dailyBudgets.calls} + excluded.calls` },
      }),
  );
  const raise = engine.prepared(() =>
    db
      .insert(dailyBudgets)
      .values({ partnerId: placeholder("partnerId"), day: placeholder("day"), calls: placeholder("calls") })
      .onConflictDoUpdate({
        target: [dailyBudgets.partnerId, dailyBudgets.day],
        set: { calls: sql`excluded.calls` },
        setWhere: sql`${dailyBudgets.calls} < excluded.calls`,
      }),
  );
  const take = engine.prepared(() =>
    db
      .insert(dailyBudgets)
      .values({ partnerId: placeholder("partnerId"), day: placeholder("day"), calls: placeholder("calls") })
      .onConflictDoUpdate({
        target: [dailyBudgets.partnerId, dailyBudgets.day],
        set: { calls: sql`${dailyBudgets.calls} + excluded.calls` },
        setWhere: sql`${dailyBudgets.calls} + excluded.calls <= ${placeholder("budget")}`,
      })
      .returning({ calls: dailyBudgets.calls }),
  );
  return {
    async taken(partnerId: string, day: Day): Promise<number> {
      return (await taken().execute({ partnerId, day }))[0]?.calls ?? 0;
    },
    /** Takes calls, or returns them if negative. */
    async add(partnerId: string, day: Day, calls: number): Promise<void> {
      await add().execute({ partnerId, day, calls });
    },
    /**
     * Takes up to `most` calls, as many as are left: concurrent calls never exceed the budget together. Returns the number
     * of calls granted, and the calls of the day that are taken with them.
     */
    async take(
      partnerId: string,
      day: Day,
      most: number,
      budget: number,
    ): Promise<{ granted: number; taken: number }> {
      for (let calls = Math.min(most, budget); ; ) {
        const [row] = calls > 0 ? await take().execute({ partnerId, day, calls, budget }) : [];
        if (row) return { granted: calls, taken: row.calls };
        const before = await this.taken(partnerId, day);
        // Fewer calls may be left meanwhile, so the statement checks again.
        calls = Math.min(calls - 1, budget - before);
        if (calls <= 0) return { granted: 0, taken: before };
      }
    },
    /** Raises the calls taken of the day to at least this number. */
    async raiseTo(partnerId: string, day: Day, calls: number): Promise<void> {
      await raise().execute({ partnerId, day, calls });
    },
    /** Returns a partner's days with calls from `from` until before `until`, in order. */
    async days(partnerId: string, from: Day, until: Day): Promise<{ day: Day; calls: number }[]> {
      return await db
        .select({ day: dailyBudgets.day, calls: dailyBudgets.calls })
        .from(dailyBudgets)
        .where(
          and(
            eq(dailyBudgets.partnerId, partnerId),
            gte(dailyBudgets.day, from),
            lt(dailyBudgets.day, until),
            gt(dailyBudgets.calls, 0),
          ),
        )
        .orderBy(asc(dailyBudgets.day));
    },
  };
}

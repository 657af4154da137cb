import { and, asc, eq, gt, gte, lt, sql } from "drizzle-orm";
import { type Day, type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Db } from "../engine.ts";
import { lazy } from "../lazy.ts";
import { dailyBudgets, idempotencyKeys } from "../sqlite/schema.ts";

const ph = sql.placeholder;

export type StoredReply = typeof idempotencyKeys.$inferSelect;

/** How long a reply is given again. */
export const REPLIES_KEPT_MS = MS_PER_DAY;

/** Replies kept for repeated requests. */
export function idempotencyStore(db: Db) {
  const find = lazy(() =>
    db
      .select()
      .from(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.partnerId, ph("partnerId")),
          eq(idempotencyKeys.operation, ph("operation")),
          eq(idempotencyKeys.key, ph("key")),
        ),
      )
      .prepare(),
  );
  return {
    async find(partnerId: string, operation: string, key: string): Promise<StoredReply | undefined> {
      return (await find().execute({ partnerId, operation, key }))[0];
    },
    /** Replaces an expired reply of the same key. */
    async save(reply: StoredReply): Promise<void> {
      await db
        .insert(idempotencyKeys)
        .values(reply)
        .onConflictDoUpdate({
          target: [idempotencyKeys.partnerId, idempotencyKeys.operation, idempotencyKeys.key],
          set: reply,
        });
    },
    /** Deletes up to `limit` replies older than `before`; returns how many. */
    async prune(before: Instant, limit: number): Promise<number> {
      const old = db
        .select({ rowid: sql`rowid` })
        .from(idempotencyKeys)
        .where(lt(idempotencyKeys.createdAt, before))
        .limit(limit);
      const deleted = await db
        .delete(idempotencyKeys)
        .where(sql`rowid in ${old}`)
        .returning({ key: idempotencyKeys.key });
      return deleted.length;
    },
  };
}

/** Calls taken from the partners' daily budgets. */
export function budgetStore(db: Db) {
  const taken = lazy(() =>
    db
      .select({ calls: dailyBudgets.calls })
      .from(dailyBudgets)
      .where(and(eq(dailyBudgets.partnerId, ph("partnerId")), eq(dailyBudgets.day, ph("day"))))
      .prepare(),
  );
  const add = lazy(() =>
    db
      .insert(dailyBudgets)
      .values({ partnerId: ph("partnerId"), day: ph("day"), calls: ph("calls") })
      .onConflictDoUpdate({
        target: [dailyBudgets.partnerId, dailyBudgets.day],
        set: { calls: sql`${dailyBudgets.calls} + excluded.calls` },
      })
      .prepare(),
  );
  return {
    async taken(partnerId: string, day: Day): Promise<number> {
      return (await taken().execute({ partnerId, day }))[0]?.calls ?? 0;
    },
    /** Takes calls, or gives them back when negative. */
    async add(partnerId: string, day: Day, calls: number): Promise<void> {
      await add().execute({ partnerId, day, calls });
    },
    /** A partner's days with calls from `from` to before `until`, in order. */
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

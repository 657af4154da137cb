import { sql } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Db } from "../engine.ts";
import { lazy } from "../lazy.ts";
import { clock } from "../sqlite/schema.ts";

const ph = sql.placeholder;

export function clockStore(db: Db) {
  const read = lazy(() => db.select({ lastInstant: clock.lastInstant }).from(clock).prepare());
  const set = lazy(() =>
    db
      .update(clock)
      .set({ lastInstant: sql`${ph("lastInstant")}` })
      .prepare(),
  );
  const probe = lazy(() =>
    db
      .update(clock)
      .set({ probedAt: sql`${ph("now")}` })
      .prepare(),
  );
  return {
    async lastInstant(): Promise<Instant> {
      return (await read().execute({}))[0]!.lastInstant;
    },
    async setLastInstant(lastInstant: Instant): Promise<void> {
      await set().execute({ lastInstant });
    },
    /** A real write, for the health check. */
    async probe(now: Instant): Promise<void> {
      await probe().execute({ now });
    },
  };
}

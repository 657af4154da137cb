import { sql } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

const ph = sql.placeholder;

export function clockStore(engine: Engine) {
  const { db } = engine;
  const { clock } = engine.tables;
  const read = engine.prepared(() => db.select({ lastInstant: clock.lastInstant }).from(clock));
  const set = engine.prepared(() => db.update(clock).set({ lastInstant: sql`${ph("lastInstant")}` }));
  const probe = engine.prepared(() => db.update(clock).set({ probedAt: sql`${ph("now")}` }));
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

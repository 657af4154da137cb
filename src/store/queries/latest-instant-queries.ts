import { sql } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

const { placeholder } = sql;

/** Reads and writes the latest instant of any row, in epoch milliseconds. */
export function latestInstantStore(engine: Engine) {
  const { db } = engine;
  const { clock, partnerTotals } = engine.tables;
  const isOne = engine.dialect === "sqlite";
  const read = engine.prepared(() =>
    db
      .select({
        lastInstant: isOne
          ? clock.lastInstant
          : sql<number>`greatest(${clock.lastInstant}, (select max(last_instant) from ${partnerTotals}))`,
      })
      .from(clock),
  );
  // If several servers share the database, each partner has a clock of its own, which the common one may be ahead of.
  const ofPartner = engine.prepared(() =>
    db
      .select({
        lastInstant: isOne
          ? clock.lastInstant
          : sql<number>`coalesce((select nullif(last_instant, 0) from ${partnerTotals} where partner_id = ${placeholder("partnerId")}), ${clock.lastInstant})`,
      })
      .from(clock),
  );
  const present = engine.prepared(() => db.select({ now: engine.now }).from(clock));
  const set = engine.prepared(() =>
    db.update(clock).set({ lastInstant: sql`${placeholder("lastInstant")}` }),
  );
  const probe = engine.prepared(() => db.update(clock).set({ probedAt: sql`${placeholder("now")}` }));
  return {
    /** Returns the latest instant of any row. */
    async lastInstant(): Promise<Instant> {
      return (await read().execute({}))[0]!.lastInstant;
    },
    /** Returns the latest instant of the partner's rows. All later rows have later instants. */
    async lastInstantOf(partnerId: string): Promise<Instant> {
      return (await ofPartner().execute({ partnerId }))[0]!.lastInstant;
    },
    /** Returns the present instant by the database's clock; of a file, by the machine's. */
    async databaseNow(): Promise<Instant> {
      return Number((await present().execute({}))[0]!.now);
    },
    async setLastInstant(lastInstant: Instant): Promise<void> {
      await set().execute({ lastInstant });
    },
    /**
     * Writes a row, for the health check. Every transaction on PostgreSQL writes one of its writer, which no other waits
     * for; the clock's may be locked by a snapshot that begins, and by the probes of other servers.
     */
    async probe(now: Instant): Promise<void> {
      if (isOne) await probe().execute({ now });
    },
  };
}

import { and, eq, sql } from "drizzle-orm";
import { createdAtOfDeliveryId } from "../../domain/ids/record-ids.ts";
import type { Day, Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { MOST_COUNTED } from "./delivery-log-queries.ts";

interface OutboxGauges {
  pending: number;
  oldestAt: Instant | null;
  oldestNotHeldAt: Instant | null;
  pausedEndpoints: number;
}

/** Sums for the metrics. Each reads an index or one row per partner, whatever the size of the portfolio. */
export function gaugeStore(engine: Engine) {
  const { db } = engine;
  const { dailyBudgets, partners, partnerTotals, webhookDeliveries, webhookEndpoints } = engine.tables;
  const d = webhookDeliveries;
  // Ids contain the instant of creation, so that the index of pending deliveries is enough. The columns are literal,
  // since Drizzle omits the table name.
  const oldestOfPartner = sql`(select min(waiting.id) from ${d} waiting
    where waiting.partner_id = partners.id and waiting.status = 'pending')`;
  const outbox = engine.prepared(() =>
    db
      .select({
        pending: sql<number>`(select count(*) from (
          select 1 from ${d} where ${d.status} = 'pending' limit ${sql.raw(String(MOST_COUNTED))}) as counted)`,
        oldest: sql<string | null>`min(${oldestOfPartner})`,
        oldestNotHeld: sql<
          string | null
        >`min(case when ${partners.enabled} and ${webhookEndpoints.pausedAt} is null
          then ${oldestOfPartner} end)`,
        pausedEndpoints: sql<number>`count(case when ${partners.enabled} then ${webhookEndpoints.pausedAt} end)`,
      })
      .from(partners)
      .leftJoin(webhookEndpoints, eq(webhookEndpoints.partnerId, partners.id)),
  );
  const portfolio = engine.prepared(() =>
    db
      .select({
        properties: sql<number>`coalesce(sum(${partnerTotals.properties}), 0)`,
        components: sql<number>`coalesce(sum(${partnerTotals.components}), 0)`,
        critical: sql<number>`coalesce(sum(${partnerTotals.critical}), 0)`,
        warning: sql<number>`coalesce(sum(${partnerTotals.warning}), 0)`,
      })
      .from(partnerTotals),
  );
  const ofPartners = engine.prepared(() =>
    db
      .select({
        id: partners.id,
        dailyBudget: partners.dailyBudget,
        taken: sql<number>`coalesce(${dailyBudgets.calls}, 0)`,
        photoBytes: partnerTotals.photoBytes,
      })
      .from(partners)
      .innerJoin(partnerTotals, eq(partnerTotals.partnerId, partners.id))
      .leftJoin(
        dailyBudgets,
        and(eq(dailyBudgets.partnerId, partners.id), eq(dailyBudgets.day, sql.placeholder("day"))),
      ),
  );
  return {
    /**
     * Counts pending deliveries, at most 100,000, and paused endpoints of enabled partners, and returns the creation of
     * the oldest pending delivery: of all, and of those not held for a paused endpoint or a disabled partner.
     */
    async outbox(): Promise<OutboxGauges> {
      const { pending, oldest, oldestNotHeld, pausedEndpoints } = (await outbox().execute({}))[0]!;
      return {
        pending,
        oldestAt: oldest === null ? null : createdAtOfDeliveryId(oldest),
        oldestNotHeldAt: oldestNotHeld === null ? null : createdAtOfDeliveryId(oldestNotHeld),
        pausedEndpoints,
      };
    },
    async portfolio() {
      return (await portfolio().execute({}))[0]!;
    },
    /** Returns each partner's daily limit, the calls taken on the day, and the size of its photos. */
    async partners(day: Day) {
      return await ofPartners().execute({ day });
    },
  };
}

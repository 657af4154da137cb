import { and, asc, eq, gt, gte, lte, max, or } from "drizzle-orm";
import type { TrendRow } from "../../domain/rules/score-trend-rule.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";
import type { EventOutcome } from "./service-events-queries.ts";

/** A partner's rows after an id, up to and including another, in the order of the ids. */
type IdRange = { partnerId: string; after: string; last: string; limit: number };

/** A table that an export contains. */
export type ExportedTable = "serviceEvents" | "sensorEvents" | "claims" | "photos" | "webhookDeliveries";

/**
 * Pages of all of a partner's data that no list of the API returns. Each page is a separate read, so that a slow export
 * does not block checkpoints.
 */
export function exportStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { claims, outcomes, photos, riskSnapshots, sensorEvents, serviceEvents, webhookDeliveries } =
    engine.tables;
  const inRange = (table: Tables[ExportedTable], { partnerId, after, last }: IdRange) =>
    and(gt(table.id, after), lte(table.id, last), eq(table.partnerId, partnerId));
  const trendRows = engine.prepared(() =>
    db
      .select()
      .from(riskSnapshots)
      .where(isAmong(riskSnapshots.componentId, "ids"))
      .orderBy(asc(riskSnapshots.componentId), asc(riskSnapshots.day)),
  );
  return {
    /** Returns the greatest id of the table; ids sort by creation. */
    async lastId(name: ExportedTable): Promise<string> {
      const table = engine.tables[name];
      const rows = await db.select({ id: max(table.id) }).from(table);
      return rows[0]?.id ?? "";
    },
    async serviceEvents(range: IdRange): Promise<ServiceEvent[]> {
      const t = serviceEvents;
      const rows = await db.select().from(t).where(inRange(t, range)).orderBy(asc(t.id)).limit(range.limit);
      return rows as ServiceEvent[];
    },
    async sensorEvents(range: IdRange) {
      const t = sensorEvents;
      return await db.select().from(t).where(inRange(t, range)).orderBy(asc(t.id)).limit(range.limit);
    },
    async claims(range: IdRange) {
      const t = claims;
      return await db.select().from(t).where(inRange(t, range)).orderBy(asc(t.id)).limit(range.limit);
    },
    async photos(range: IdRange) {
      const t = photos;
      return await db.select().from(t).where(inRange(t, range)).orderBy(asc(t.id)).limit(range.limit);
    },
    /** Returns deliveries without their bodies. */
    async webhookDeliveries(range: IdRange) {
      const t = webhookDeliveries;
      return await db
        .select({
          id: t.id,
          event: t.event,
          requestId: t.requestId,
          status: t.status,
          attempts: t.attempts,
          createdAt: t.createdAt,
          finishedAt: t.finishedAt,
        })
        .from(t)
        .where(inRange(t, range))
        .orderBy(asc(t.id))
        .limit(range.limit);
    },
    /** Returns the trend rows of components. Each score is valid from its day until the next row. */
    async trendRows(componentIds: readonly string[]): Promise<(TrendRow & { componentId: string })[]> {
      return await trendRows().execute({ ids: engine.list(componentIds) });
    },
    /** Returns outcomes after a service event and component, up to the last service event. */
    async outcomes(
      partnerId: string,
      after: Pick<EventOutcome, "serviceEventId" | "componentId">,
      last: string,
      limit: number,
    ): Promise<EventOutcome[]> {
      const t = outcomes;
      return await db
        .select()
        .from(t)
        .where(
          and(
            gte(t.serviceEventId, after.serviceEventId),
            or(gt(t.serviceEventId, after.serviceEventId), gt(t.componentId, after.componentId)),
            lte(t.serviceEventId, last),
            eq(t.partnerId, partnerId),
          ),
        )
        .orderBy(asc(t.serviceEventId), asc(t.componentId))
        .limit(limit);
    },
  };
}

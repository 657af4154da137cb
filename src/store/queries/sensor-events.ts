import { and, asc, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { SensorEvent } from "../../domain/sensor-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import { named } from "./named.ts";

const ph = sql.placeholder;

export type SmartEvidenceRow = Pick<
  SensorEvent,
  "applianceId" | "componentId" | "eventType" | "severity" | "sensorId" | "recordedAt"
>;

/** Where reading goes on: at a moment, after as many of its events as were read. */
export type SmartPlace = { at: Instant; skip: number };

export function sensorEventStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { sensorEvents } = engine.tables;
  const isPostgres = engine.dialect === "postgres";
  const evidence = {
    applianceId: sensorEvents.applianceId,
    componentId: sensorEvents.componentId,
    eventType: sensorEvents.eventType,
    severity: sensorEvents.severity,
    sensorId: sensorEvents.sensorId,
    recordedAt: sensorEvents.recordedAt,
  };
  const isSmart = sql`${sensorEvents.kind} = 'smart'`;
  const since = gte(sensorEvents.recordedAt, ph("since"));
  const smart = engine.read<SmartEvidenceRow>(() =>
    db
      .select(named(evidence))
      .from(sensorEvents)
      .where(and(isAmong(sensorEvents.applianceId, "applianceIds"), isSmart, since))
      // Without an order PostgreSQL hopes to have so many early, and reads through the events of all.
      .orderBy(...(isPostgres ? [asc(sensorEvents.id)] : []))
      .limit(ph("limit")),
  );
  const smartFrom = engine.read<SmartEvidenceRow>(() => {
    const { componentId, eventType, severity, sensorId } = evidence;
    // SQLite has one order for the events of a moment, its index's. PostgreSQL may sort, so it is told one, and gives of
    // equal ones one: else it would sort those of a stopped clock anew for each page.
    const ofMoment = isPostgres ? [componentId, eventType, severity, sensorId] : [];
    return (isPostgres ? db.selectDistinct(named(evidence)) : db.select(named(evidence)))
      .from(sensorEvents)
      .where(
        and(
          eq(sensorEvents.applianceId, ph("applianceId")),
          isSmart,
          since,
          lte(sensorEvents.recordedAt, ph("at")),
        ),
      )
      .orderBy(desc(sensorEvents.recordedAt), ...ofMoment)
      .limit(ph("limit"))
      .offset(ph("skip"));
  });
  return {
    async insert(event: SensorEvent): Promise<void> {
      await db.insert(sensorEvents).values(event);
    },
    /** Smart events recorded since then, as older ones have faded: at most `limit` of them in no order. */
    async smartEvidence(
      applianceIds: readonly string[],
      since: Instant,
      limit: number,
    ): Promise<SmartEvidenceRow[]> {
      return smart({ applianceIds: engine.list(applianceIds), since, limit });
    },
    /** The same of one appliance, the newest first, from a place on; of equal ones perhaps one. */
    async smartEvidenceFrom(
      applianceId: string,
      since: Instant,
      { at, skip }: SmartPlace,
      limit: number,
    ): Promise<SmartEvidenceRow[]> {
      return smartFrom({ applianceId, since, at, skip, limit });
    },
  };
}

import { and, asc, desc, eq, gte, sql } from "drizzle-orm";
import type { SensorEvent } from "../../domain/sensor-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import { aliased } from "./aliased-columns.ts";

const ph = sql.placeholder;

export type SmartEvidenceRow = Pick<
  SensorEvent,
  "applianceId" | "componentId" | "eventType" | "severity" | "sensorId" | "recordedAt"
>;

/** A place in the order of moments and ids. */
export type SmartPlace = { recordedAt: Instant; id: string };

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
      .select(aliased(evidence))
      .from(sensorEvents)
      .where(and(isAmong(sensorEvents.applianceId, "applianceIds"), isSmart, since))
      // Without an order PostgreSQL hopes to have so many early, and reads through the events of all.
      .orderBy(...(isPostgres ? [asc(sensorEvents.id)] : []))
      .limit(ph("limit")),
  );
  const smartBefore = engine.read<SmartEvidenceRow & { id: string }>(() =>
    db
      .select(aliased({ ...evidence, id: sensorEvents.id }))
      .from(sensorEvents)
      .where(
        and(
          eq(sensorEvents.applianceId, ph("applianceId")),
          isSmart,
          since,
          // Both together: of sensors whose clocks stand still one moment has however many.
          sql`(${sensorEvents.recordedAt}, ${sensorEvents.id}) < (${ph("recordedAt")}, ${ph("id")})`,
        ),
      )
      .orderBy(desc(sensorEvents.recordedAt), desc(sensorEvents.id))
      .limit(ph("limit")),
  );
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
    /** The same of one appliance before a place, the newest first. */
    async smartEvidenceBefore(
      applianceId: string,
      since: Instant,
      before: SmartPlace,
      limit: number,
    ): Promise<(SmartEvidenceRow & SmartPlace)[]> {
      return smartBefore({ applianceId, since, ...before, limit });
    },
  };
}

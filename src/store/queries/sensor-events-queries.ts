import { and, asc, desc, eq, gte, sql } from "drizzle-orm";
import type { SensorEvent } from "../../domain/sensor-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A smart event as far as it changes scores. */
export type SmartEvidenceRow = Pick<
  SensorEvent,
  "applianceId" | "componentId" | "eventType" | "severity" | "sensorId" | "recordedAt"
>;

/** A position in the order of instants and ids. */
export type SmartPlace = { recordedAt: Instant; id: string };

/** Reads and writes meter readings and smart events. */
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
  const since = gte(sensorEvents.recordedAt, placeholder("since"));
  const smart = engine.read<SmartEvidenceRow>(() =>
    db
      .select(aliasedSqlColumns(evidence))
      .from(sensorEvents)
      .where(and(isAmong(sensorEvents.applianceId, "applianceIds"), isSmart, since))
      // Without the order PostgreSQL expects the limit to be reached early, and scans all events.
      .orderBy(...(isPostgres ? [asc(sensorEvents.id)] : []))
      .limit(placeholder("limit")),
  );
  const smartBefore = engine.read<SmartEvidenceRow & { id: string }>(() =>
    db
      .select(aliasedSqlColumns({ ...evidence, id: sensorEvents.id }))
      .from(sensorEvents)
      .where(
        and(
          eq(sensorEvents.applianceId, placeholder("applianceId")),
          isSmart,
          since,
          // By instant and id, since a sensor with a stopped clock has any number of events at one instant.
          sql`(${sensorEvents.recordedAt}, ${sensorEvents.id}) < (${placeholder("recordedAt")}, ${placeholder("id")})`,
        ),
      )
      .orderBy(desc(sensorEvents.recordedAt), desc(sensorEvents.id))
      .limit(placeholder("limit")),
  );
  return {
    async insert(event: SensorEvent): Promise<void> {
      await db.insert(sensorEvents).values(event);
    },
    /** Returns at most `limit` smart events since the instant, in no order. Older ones no longer count. */
    async smartEvidence(
      applianceIds: readonly string[],
      since: Instant,
      limit: number,
    ): Promise<SmartEvidenceRow[]> {
      return smart({ applianceIds: engine.list(applianceIds), since, limit });
    },
    /** Returns an appliance's smart events before a position, ordered from the newest. */
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

import { and, gte, sql } from "drizzle-orm";
import type { SensorEvent } from "../../domain/sensor-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

const ph = sql.placeholder;

export type SmartEvidenceRow = Pick<
  SensorEvent,
  "applianceId" | "componentId" | "eventType" | "severity" | "sensorId" | "recordedAt"
>;

export function sensorEventStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { sensorEvents } = engine.tables;
  const smart = engine.prepared(() =>
    db
      .select({
        applianceId: sensorEvents.applianceId,
        componentId: sensorEvents.componentId,
        eventType: sensorEvents.eventType,
        severity: sensorEvents.severity,
        sensorId: sensorEvents.sensorId,
        recordedAt: sensorEvents.recordedAt,
      })
      .from(sensorEvents)
      .where(
        and(
          isAmong(sensorEvents.applianceId, "applianceIds"),
          sql`${sensorEvents.kind} = 'smart'`,
          gte(sensorEvents.recordedAt, ph("since")),
        ),
      ),
  );
  return {
    async insert(event: SensorEvent): Promise<void> {
      await db.insert(sensorEvents).values(event);
    },
    /** Smart events recorded since then: older ones have faded. */
    async smartEvidence(applianceIds: readonly string[], since: Instant): Promise<SmartEvidenceRow[]> {
      return await smart().execute({ applianceIds: engine.list(applianceIds), since });
    },
  };
}

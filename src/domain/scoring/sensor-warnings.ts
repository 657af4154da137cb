import type { ComponentDef, Knowledge, SmartEventType } from "../domain-knowledge.ts";
import type { Severity } from "../sensor-event.ts";
import { dayFromNumber, MS_PER_DAY } from "../time.ts";
import { compareTextsNullFirst, type DatedEvent, eventConcernsComponent } from "./dated-events.ts";
import { fadedRatio } from "./hazard-ratios.ts";
import type { EvidenceSubject, EvidenceTrail } from "./score-evidence.ts";
import type { SmartEvidence } from "./scoring-types.ts";

/** A sensor warning that no later normal reading has cleared, with its ratio as faded today. */
export type SensorWarning = {
  eventType: string;
  day: number;
  componentId: string | null;
  type: SmartEventType;
  severity: Severity;
  ratio: number;
};

/** Returns whether a reading of the component's appliance concerns the component. */
function concernsComponent(
  reading: { componentId: string | null },
  type: SmartEventType,
  component: { id: string; def: Pick<ComponentDef, "id"> },
): boolean {
  if (reading.componentId !== null) return reading.componentId === component.id;
  return type.componentIds.has(component.def.id);
}

/** Returns an appliance's active warnings on the day number `today`, in an order independent of arrival. */
export function activeSensorWarnings(
  knowledge: Knowledge,
  readings: readonly SmartEvidence[],
  today: number,
): SensorWarning[] {
  if (readings.length === 0) return [];
  const { spanDays } = knowledge.model.evidence.smartEvent;
  const clearedAt = new Map<string, number>();
  for (const reading of readings) {
    if (knowledge.smartEvent(reading.eventType)?.ratios !== null || dayOfReading(reading) > today) continue;
    const sensor = sensorKey(reading);
    clearedAt.set(sensor, Math.max(reading.recordedAt, clearedAt.get(sensor) ?? reading.recordedAt));
  }
  const warnings: SensorWarning[] = [];
  for (const reading of readings) {
    const type = knowledge.smartEvent(reading.eventType);
    const day = dayOfReading(reading);
    if (!type?.ratios || day > today) continue;
    const cleared = clearedAt.get(sensorKey(reading));
    if (cleared !== undefined && cleared > reading.recordedAt) continue;
    const ratio = fadedRatio(type.ratios[reading.severity], today - day, spanDays);
    if (ratio !== 1)
      warnings.push({
        eventType: reading.eventType,
        day,
        componentId: reading.componentId,
        type,
        severity: reading.severity,
        ratio,
      });
  }
  // By type, the strongest first: `acuteHazardOfWarnings` counts one of each type.
  return warnings.sort(
    (a, b) => compareTextsNullFirst(a.eventType, b.eventType) || b.ratio - a.ratio || b.day - a.day,
  );
}

/**
 * Returns Λ, the cumulative hazard of the component's active warnings over the span in which they fade
 * (docs/model/scoring.md#sensor-warnings). Appends each counted warning to `trail`.
 */
export function acuteHazardOfWarnings(
  { model }: Knowledge,
  subject: EvidenceSubject,
  warnings: readonly SensorWarning[],
  events: readonly DatedEvent[],
  trail: EvidenceTrail,
): number {
  if (warnings.length === 0) return 0;
  const earliest = subject.today - model.evidence.smartEvent.spanDays;
  const repairedOn = Math.max(subject.since, lastRepair(subject.id, events, earliest));
  let sum = 0;
  let counted: string | undefined;
  for (const warning of warnings) {
    if (warning.eventType === counted || warning.day <= repairedOn) continue;
    if (!concernsComponent(warning, warning.type, subject)) continue;
    counted = warning.eventType;
    const on = dayFromNumber(warning.day);
    const hazard = model.evidence.smartEvent.hazard * (warning.ratio - 1);
    const { ratio, severity } = warning;
    trail?.push({ kind: "smart_event", subject: counted, on, ratio, severity, hazard });
    sum += hazard;
  }
  return sum;
}

/** Returns the day number of the last Repair. It ends warnings of its own day too, since a visit mostly answers an alarm. */
function lastRepair(componentId: string, events: readonly DatedEvent[], earliest: number): number {
  for (let at = events.length - 1; at >= 0 && events[at]!.day >= earliest; at--) {
    const event = events[at]!;
    if (event.eventType === "Repair" && eventConcernsComponent(event, componentId)) return event.day;
  }
  return Number.NEGATIVE_INFINITY;
}

/** Returns the day number of a reading. */
export const dayOfReading = (reading: SmartEvidence) => Math.floor(reading.recordedAt / MS_PER_DAY);

/** Returns the key of a reading's sensor. Readings without a sensor id belong together by component. */
export const sensorKey = ({ sensorId, componentId }: SmartEvidence) =>
  sensorId === null ? `component ${componentId ?? ""}` : `sensor ${sensorId}`;

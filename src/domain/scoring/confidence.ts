import type { ScoringModel } from "../domain-knowledge.ts";
import { DAYS_PER_MONTH, type Day } from "../time.ts";
import { type DatedEvent, eventConcernsComponent } from "./dated-events.ts";
import type { Confidence } from "./scoring-types.ts";

/** The service record that confidence rests on. */
export type ServiceRecord = {
  /** Service events on the component or its appliance. */
  events: number;
  /** The day of the newest observed condition; null without one. */
  observedOn: Day | null;
  observedRecently: boolean;
};

/** Returns the whole record of a component as of the day number `today`. */
export function serviceRecordOf(
  componentId: string,
  events: readonly DatedEvent[],
  today: number,
  { confidence }: ScoringModel,
): ServiceRecord {
  const record: ServiceRecord = { events: 0, observedOn: null, observedRecently: false };
  for (const event of events) {
    if (!eventConcernsComponent(event, componentId)) continue;
    record.events += event.times;
    if (event.conditionAfter === null) continue;
    record.observedOn = event.date;
    record.observedRecently ||= (today - event.day) / DAYS_PER_MONTH <= confidence.conditionWithinMonths;
  }
  return record;
}

/** Returns the record as far back as confidence needs it. `events` is a lower bound once it suffices. */
export function recentServiceRecord(
  componentId: string,
  events: readonly DatedEvent[],
  today: number,
  { confidence }: ScoringModel,
): Pick<ServiceRecord, "events" | "observedRecently"> {
  const record = { events: 0, observedRecently: false };
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]!;
    const isLate = (today - event.day) / DAYS_PER_MONTH <= confidence.conditionWithinMonths;
    if (record.events >= confidence.eventsForHigh && (record.observedRecently || !isLate)) break;
    if (!eventConcernsComponent(event, componentId)) continue;
    record.events += event.times;
    record.observedRecently ||= isLate && event.conditionAfter !== null;
  }
  return record;
}

/** Returns how well a component is known (docs/model/scoring.md#confidence). */
export function confidenceOfScore(
  { events, observedRecently }: Pick<ServiceRecord, "events" | "observedRecently">,
  brandIsKnown: boolean,
  { confidence }: ScoringModel,
): Confidence {
  if (brandIsKnown && observedRecently && events >= confidence.eventsForHigh) return "HIGH";
  return brandIsKnown || events > 0 ? "MEDIUM" : "LOW";
}

import type { ScoringModel } from "../knowledge.ts";
import { DAYS_PER_MONTH } from "../time.ts";
import { concerns, type DatedEvent } from "./timeline.ts";
import type { Confidence } from "./types.ts";

/** How well a component is known: by service events on it or its appliance, a recent observed condition, and its brand. */
export function confidenceOf(
  componentId: string,
  events: readonly DatedEvent[],
  brandIsKnown: boolean,
  today: number,
  { confidence }: ScoringModel,
): Confidence {
  let count = 0;
  let conditionIsRecent = false;
  for (const event of events) {
    if (!concerns(event, componentId)) continue;
    count++;
    if (event.conditionAfter !== null)
      conditionIsRecent ||= (today - event.day) / DAYS_PER_MONTH <= confidence.conditionWithinMonths;
  }
  if (brandIsKnown && conditionIsRecent && count >= confidence.eventsForHigh) return "HIGH";
  return brandIsKnown || count > 0 ? "MEDIUM" : "LOW";
}

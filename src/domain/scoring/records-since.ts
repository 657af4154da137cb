import type { ScoringModel } from "../knowledge.ts";
import { type Day, dayNumber } from "../time.ts";

/**
 * The day from which a property's service record counts as complete, where nobody has said it (docs/model/scoring.md#unknown-past): going
 * back from the day of its registration over the events of its appliances, as long as no gap is too long. `eventDays`
 * in any order; those after the registration say nothing.
 */
export function recordsSince(registeredOn: Day, eventDays: Iterable<Day>, { record }: ScoringModel): Day {
  let earliest = registeredOn;
  for (const day of [...eventDays].sort().reverse()) {
    if (day >= earliest) continue;
    if (dayNumber(earliest) - dayNumber(day) > record.longestGapDays) break;
    earliest = day;
  }
  return earliest;
}

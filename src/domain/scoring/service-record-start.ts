import type { ScoringModel } from "../knowledge.ts";
import { type Day, dayNumber } from "../time.ts";

/**
 * Returns the day from which a property's service record counts as complete, unless its partner states it
 * (docs/model/scoring.md#unknown-past): the earliest event that is reached from the registration without too long a gap.
 * `eventDays` may be in any order; days after the registration are ignored.
 */
export function serviceRecordStart(
  registeredOn: Day,
  eventDays: Iterable<Day>,
  { record }: ScoringModel,
): Day {
  let earliest = registeredOn;
  for (const day of [...eventDays].sort().reverse()) {
    if (day >= earliest) continue;
    if (dayNumber(earliest) - dayNumber(day) > record.longestGapDays) break;
    earliest = day;
  }
  return earliest;
}

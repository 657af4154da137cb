import type { ScoringModel } from "../domain-knowledge.ts";
import type { Property } from "../property.ts";
import { addDays, type Day, daysBetween } from "../time.ts";

/** The days from `from` on, before `before`. */
export type DayRange = { from: Day; before: Day };

/**
 * Finds the day from which a property's service record counts as complete, unless its partner states it
 * (docs/model/scoring.md#unknown-past): the earliest event that is reached from the registration without too long a gap.
 * Yields ranges of days, and takes the earliest day with an event in each; undefined for none. Two ranges go back by more
 * than the longest gap, however many events there are.
 */
export function* findServiceRecordStart(
  registeredOn: Day,
  { record }: ScoringModel,
): Generator<DayRange, Day, Day | undefined> {
  for (let start = registeredOn; ; ) {
    const earliest = yield { from: addDays(start, -record.longestGapDays), before: start };
    if (earliest === undefined) return start;
    start = earliest;
  }
}

/** Returns whether an added event of that day moves the start of the property's service record back. */
export function movesServiceRecordStartBack(
  { record }: ScoringModel,
  { recordsSince, recordsSinceGiven }: Pick<Property, "recordsSince" | "recordsSinceGiven">,
  day: Day,
): boolean {
  if (recordsSinceGiven || day >= recordsSince) return false;
  return daysBetween(day, recordsSince) <= record.longestGapDays;
}

import { type Day, dayFromNumber, dayNumber } from "../time.ts";
import { conditionGrade, conditionIndexOfDueShare, type Grade } from "./property-condition.ts";

/** The days for which trends of conditions are kept: three years. */
export const CONDITION_TREND_DAYS = 3 * 365;

/** The sums that the condition of a property or a portfolio follows from, and its expected cost, in cents. */
export type ConditionSums = {
  properties: number;
  /** The cost of what is due now. */
  dueCents: number;
  /** The replacement value of the buildings. */
  valueCents: number;
  /** The expected cost of failures within 12 months, of components at risk. */
  expectedCents: number;
};

/** A point of a trend. */
export type ConditionPoint = ConditionSums & { day: Day };

export const NO_SUMS: ConditionSums = { properties: 0, dueCents: 0, valueCents: 0, expectedCents: 0 };

/** Returns the sums, or with `sign` -1 the differences, of two points. */
export function addConditionSums(a: ConditionSums, b: ConditionSums, sign: 1 | -1 = 1): ConditionSums {
  return {
    properties: a.properties + sign * b.properties,
    dueCents: a.dueCents + sign * b.dueCents,
    valueCents: a.valueCents + sign * b.valueCents,
    expectedCents: a.expectedCents + sign * b.expectedCents,
  };
}

/** Returns the condition index and its grade, of all buildings as if they were one. */
export function conditionIndexOfSums({ dueCents, valueCents }: ConditionSums): {
  score: number;
  grade: Grade;
} {
  const score = conditionIndexOfDueShare(valueCents > 0 ? Math.min(dueCents / valueCents, 1) : 0);
  return { score, grade: conditionGrade(score) };
}

/** Returns the Monday of a day's week. */
export function mondayOf(day: Day): Day {
  const number = dayNumber(day);
  // Day 0 was a Thursday.
  return dayFromNumber(number - ((((number + 3) % 7) + 7) % 7));
}

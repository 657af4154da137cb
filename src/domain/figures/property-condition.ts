import type { Property } from "../property.ts";
import { type FacilityCondition, facilityConditionOf } from "./facility-condition.ts";
import type { PropertyTotals } from "./property-totals.ts";

export type Grade = "A" | "B" | "C" | "D" | "F";
export type Rating = "GOOD" | "FAIR" | "FAIL";
/** `score` is the condition index, a whole number from 1 (worst) to 100. */
type PropertyCondition = { score: number; grade: Grade; rating: Rating; facility: FacilityCondition };

/** The condition index by need as a share of the building's replacement value, interpolated linearly (docs/model/figures.md#condition). */
const INDEX: readonly (readonly [need: number, index: number])[] = [
  [0, 100],
  [0.05, 90],
  [0.1, 80],
  [0.2, 70],
  [0.35, 60],
  [1, 1],
];

/** Explains the condition score to the reader of a report. */
export const METHODOLOGY =
  "Condition index: the cost of the replacements that are due now, divided by the replacement value of the building " +
  `(the facility condition index). ${INDEX.map(([need, index]) => `${Math.round(need * 100)}% scores ${index}`).join(", ")}, ` +
  "with linear interpolation between these points. Ratings: A = GOOD, B = GOOD, C = FAIR, D and F = FAIL. If a life-safety or " +
  "elevator component is critical, grades B and C are rated one level lower (B = FAIR, C = FAIL).";

type ConditionTotals = Pick<PropertyTotals, "dueCents" | "rcvCents" | "vitalCritical">;

/**
 * Returns the condition of a property by its need: what is due now as a share of the building's replacement value.
 * `centsPerSqft` is the cost of a building by its area.
 */
export function propertyConditionOf(
  property: Pick<Property, "replacementValueCents" | "grossAreaSqft">,
  { dueCents, rcvCents, vitalCritical }: ConditionTotals,
  centsPerSqft?: number,
): PropertyCondition {
  const facility = facilityConditionOf(property, dueCents, rcvCents, centsPerSqft);
  // A building without a value has nothing that could be due.
  const score = conditionIndexOfDueShare(Math.min(facility.index ?? 0, 1));
  const grade = conditionGrade(score);
  return { score, grade, rating: propertyRatingOfConditionGrade(grade, vitalCritical > 0), facility };
}

/** Returns the index, a whole number from 1 to 100, by what is due as a share of the replacement value, from 0 to 1. */
export function conditionIndexOfDueShare(dueShare: number): number {
  const end = Math.max(
    1,
    INDEX.findIndex(([limit]) => dueShare <= limit),
  );
  const [fromNeed, fromIndex] = INDEX[end - 1]!;
  const [toNeed, toIndex] = INDEX[end]!;
  const index = fromIndex + ((dueShare - fromNeed) / (toNeed - fromNeed)) * (toIndex - fromIndex);
  return Math.round(Number(index.toFixed(9))); // an exact half must round up, despite binary fractions
}

/** Returns the grade of a condition index. */
export function conditionGrade(score: number): Grade {
  return score >= 90 ? "A" : score >= 80 ? "B" : score >= 70 ? "C" : score >= 60 ? "D" : "F";
}

/** Returns the rating. A CRITICAL component of a life-safety or conveyance system lowers that of grades B and C. */
export function propertyRatingOfConditionGrade(grade: Grade, hasCriticalVitalComponent: boolean): Rating {
  if (grade === "A") return "GOOD";
  if (grade === "B") return hasCriticalVitalComponent ? "FAIR" : "GOOD";
  if (grade === "C") return hasCriticalVitalComponent ? "FAIL" : "FAIR";
  return "FAIL";
}

import type { Assessment } from "./assessment.ts";

export type Grade = "A" | "B" | "C" | "D" | "F";
export type Rating = "GOOD" | "FAIR" | "FAIL";
/** `score` is the condition index, a whole number from 1 (worst) to 100. */
type PropertyCondition = { score: number; grade: Grade; rating: Rating };

/** The condition index by need as a share of replacement value, interpolated linearly (docs/model/figures.md#condition). */
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
  "Condition index: the planned replacement cost of critical components plus half the planned replacement " +
  "cost of warning components, divided by the property's replacement cost value. " +
  `${INDEX.map(([need, index]) => `${Math.round(need * 100)}% scores ${index}`).join(", ")}, with linear ` +
  "interpolation between these points. Ratings: A = GOOD, B = GOOD, C = FAIR, D and F = FAIL. If a life-safety or " +
  "elevator component is critical, grades B and C are rated one level lower (B = FAIR, C = FAIL).";

type Needs = Pick<
  Assessment,
  "criticalProactiveCents" | "warningProactiveCents" | "rcvCents" | "vitalCritical"
>;

/**
 * Returns the condition of a property by its need: the planned cost of its CRITICAL components and
 * half that of its WARNING ones, as a share of its replacement cost value.
 */
export function conditionOf(totals: Needs): PropertyCondition {
  const score = conditionIndex(needOf(totals));
  const grade = gradeOf(score);
  return { score, grade, rating: ratingOf(grade, totals.vitalCritical > 0) };
}

/** Returns the need from 0 to 1; 0 for a property without components. */
function needOf({ criticalProactiveCents, warningProactiveCents, rcvCents }: Needs): number {
  if (rcvCents === 0) return 0;
  return Math.min((criticalProactiveCents + warningProactiveCents / 2) / rcvCents, 1);
}

/** Returns the index, a whole number from 1 to 100, for a need from 0 to 1. */
export function conditionIndex(need: number): number {
  const end = Math.max(
    1,
    INDEX.findIndex(([limit]) => need <= limit),
  );
  const [fromNeed, fromIndex] = INDEX[end - 1]!;
  const [toNeed, toIndex] = INDEX[end]!;
  const index = fromIndex + ((need - fromNeed) / (toNeed - fromNeed)) * (toIndex - fromIndex);
  return Math.round(Number(index.toFixed(9))); // an exact half must round up, despite binary fractions
}

/** Returns the grade of a condition index. */
export function gradeOf(score: number): Grade {
  return score >= 90 ? "A" : score >= 80 ? "B" : score >= 70 ? "C" : score >= 60 ? "D" : "F";
}

/** Returns the rating. A CRITICAL component of a life-safety or conveyance system lowers that of grades B and C. */
export function ratingOf(grade: Grade, vitalCritical: boolean): Rating {
  if (grade === "A") return "GOOD";
  if (grade === "B") return vitalCritical ? "FAIR" : "GOOD";
  if (grade === "C") return vitalCritical ? "FAIL" : "FAIR";
  return "FAIL";
}

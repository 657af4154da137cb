import type { Assessment } from "./assessment.ts";

export type Grade = "A" | "B" | "C" | "D" | "F";
export type Rating = "GOOD" | "FAIR" | "FAIL";
/** `score` is the condition index: a whole number from 1, the worst, to 100. */
export type PropertyCondition = { score: number; grade: Grade; rating: Rating };

/** Need as a share of replacement value against the index, straight lines between (docs/model/figures.md#condition). */
const INDEX: readonly (readonly [need: number, index: number])[] = [
  [0, 100],
  [0.05, 90],
  [0.1, 80],
  [0.2, 70],
  [0.35, 60],
  [1, 1],
];

/** How the condition score comes about, for the reader of a report. */
export const METHODOLOGY =
  "Facility condition index: the planned replacement cost of CRITICAL components, and half of that of WARNING " +
  "components, as a share of the property's replacement cost value. " +
  `${INDEX.map(([need, index]) => `${Math.round(need * 100)}% scores ${index}`).join(", ")}, straight lines between. ` +
  "Grade A is rated GOOD. Grades B and C are rated GOOD and FAIR, or FAIR and FAIL when a component of a life-safety " +
  "or conveyance system is CRITICAL. Grades D and F are rated FAIL.";

type Needs = Pick<
  Assessment,
  "criticalProactiveCents" | "warningProactiveCents" | "rcvCents" | "vitalCritical"
>;

/**
 * The condition of a property by the facility condition index of the field: what its critical components cost, and
 * half of what those in warning cost, as a share of its replacement value.
 */
export function conditionOf(totals: Needs): PropertyCondition {
  const score = conditionIndex(needOf(totals));
  const grade = gradeOf(score);
  return { score, grade, rating: ratingOf(grade, totals.vitalCritical > 0) };
}

/** 0 to 1; 0 for a property with nothing to replace. */
function needOf({ criticalProactiveCents, warningProactiveCents, rcvCents }: Needs): number {
  if (rcvCents === 0) return 0;
  return Math.min((criticalProactiveCents + warningProactiveCents / 2) / rcvCents, 1);
}

/** The index, a whole number from 1 to 100, of a need from 0 to 1. */
export function conditionIndex(need: number): number {
  const end = Math.max(
    1,
    INDEX.findIndex(([limit]) => need <= limit),
  );
  const [fromNeed, fromIndex] = INDEX[end - 1]!;
  const [toNeed, toIndex] = INDEX[end]!;
  const index = fromIndex + ((need - fromNeed) / (toNeed - fromNeed)) * (toIndex - fromIndex);
  return Math.round(Number(index.toFixed(9))); // a half stays a half, which binary fractions miss by a hair
}

export function gradeOf(score: number): Grade {
  return score >= 90 ? "A" : score >= 80 ? "B" : score >= 70 ? "C" : score >= 60 ? "D" : "F";
}

/** Between two ratings of a grade, a critical component of a life-safety or conveyance system decides. */
export function ratingOf(grade: Grade, vitalCritical: boolean): Rating {
  if (grade === "A") return "GOOD";
  if (grade === "B") return vitalCritical ? "FAIR" : "GOOD";
  if (grade === "C") return vitalCritical ? "FAIL" : "FAIR";
  return "FAIL";
}

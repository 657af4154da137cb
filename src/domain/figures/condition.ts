import type { PropertyTotals } from "../totals.ts";

export type Grade = "A" | "B" | "C" | "D" | "F";
export type Rating = "GOOD" | "FAIR" | "FAIL";
export type Condition = { score: number; grade: Grade; rating: Rating };

/** Need as a share of replacement value against the index, straight lines between (`scoring.md` §6). */
const INDEX: readonly (readonly [need: number, index: number])[] = [
  [0, 100],
  [0.05, 90],
  [0.1, 80],
  [0.2, 70],
  [0.35, 60],
  [1, 1],
];

/**
 * The condition of a property by the facility condition index of the field: what its critical components cost, and
 * half of what those in warning cost, as a share of its replacement value.
 */
export function conditionOf(totals: PropertyTotals): Condition {
  const score = conditionIndex(needOf(totals));
  const grade = gradeOf(score);
  return { score, grade, rating: ratingOf(grade, totals.vitalCritical > 0) };
}

/** 0 to 1; 0 for a property with nothing to replace. */
function needOf({ criticalProactiveCents, warningProactiveCents, rcvCents }: PropertyTotals): number {
  if (rcvCents === 0) return 0;
  return Math.min((criticalProactiveCents + warningProactiveCents / 2) / rcvCents, 1);
}

/** A whole number from 1 to 100. */
export function conditionIndex(need: number): number {
  const end = Math.max(
    1,
    INDEX.findIndex(([limit]) => need <= limit),
  );
  const [fromNeed, fromIndex] = INDEX[end - 1]!;
  const [toNeed, toIndex] = INDEX[end]!;
  return Math.round(fromIndex + ((need - fromNeed) / (toNeed - fromNeed)) * (toIndex - fromIndex));
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

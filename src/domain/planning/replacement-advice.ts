import type { PartInPlace } from "./part-in-place.ts";
import type { Policy } from "./replacement-policy.ts";

/** The advice on a part in place, as if it stood alone. */
export type Advice = {
  /** w, in years: 0 is now; null for run to failure. */
  dueInYears: number | null;
  /**
   * The cost of waiting a year, in cents: the expected extra cost of a failure, less the yearly cost of the policy.
   * Negative where waiting is the better choice.
   */
  waitingCents: number;
};

/** Returns when a part is due, and the cost of waiting (docs/model/planning.md#due-date). */
export function adviseOnPart(part: PartInPlace, policy: Policy): Advice {
  const { plannedCents, failureCents, failureProbability } = part;
  const waitingCents = failureProbability * (failureCents - plannedCents) - policy.yearlyCents;
  return { dueInYears: dueInYearsOfPart(part, policy), waitingCents };
}

/** Returns when a part is due, in years: 0 is now; null for run to failure. */
export function dueInYearsOfPart(part: PartInPlace, { bestAgeMonths, basis }: Policy): number | null {
  if (bestAgeMonths === null) return null;
  const age = bestAgeMonths / 12;
  return basis === "fixed_life"
    ? Math.max(0, age - part.labelAgeYears)
    : Math.max(0, age * bestAgeFactor(part) - part.ageYears);
}

/** Returns θ^(−1/(β−1)), the factor of the hazard ratio on the best age; 1 where the hazard does not rise with age. */
export const bestAgeFactor = ({ shape, hazardRatio }: Pick<PartInPlace, "shape" | "hazardRatio">) =>
  shape > 1 ? hazardRatio ** (-1 / (shape - 1)) : 1;

/** Returns the month in which a part that is due in so many years is replaced; 0 is now. */
export const replacementMonth = (dueInYears: number) => Math.ceil(12 * dueInYears);

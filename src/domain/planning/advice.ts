import type { Part } from "./part.ts";
import type { Policy } from "./policy.ts";

export type PolicyName = "replace_now" | "replace_at_age" | "run_to_failure";

/** The advice on a part in place. */
export type Advice = {
  policy: PolicyName;
  /** w, in years: 0 is now; null for run to failure. */
  dueInYears: number | null;
  /**
   * The cost of waiting a year, in cents: the expected extra cost of a failure, less the yearly cost of the policy.
   * Negative where waiting is the better choice.
   */
  waitingCents: number;
};

/** Returns when a part is due, and what waiting costs (docs/model/planning.md#due-date). */
export function adviseOn(part: Part, policy: Policy): Advice {
  const { plannedCents, failureCents, failureProbability } = part;
  const waitingCents = failureProbability * (failureCents - plannedCents) - policy.yearlyCents;
  const dueInYears = dueIn(part, policy);
  const name = dueInYears === null ? "run_to_failure" : dueInYears === 0 ? "replace_now" : "replace_at_age";
  return { policy: name, dueInYears, waitingCents };
}

function dueIn({ shape, ageYears, hazardRatio }: Part, { bestAgeMonths }: Policy): number | null {
  if (bestAgeMonths === null) return null;
  return Math.max(0, (bestAgeMonths / 12) * hazardRatio ** (-1 / (shape - 1)) - ageYears);
}

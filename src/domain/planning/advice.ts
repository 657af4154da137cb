import type { Part } from "./part.ts";
import type { Policy } from "./policy.ts";

export type PolicyName = "replace_now" | "replace_at_age" | "run_to_failure";

/** What to do about a part in place. */
export type Advice = {
  policy: PolicyName;
  /** w: 0 is now; null where it is run to failure. */
  dueInYears: number | null;
  /**
   * What a year of waiting costs beyond what it saves, in cents: the risk of paying for a failure instead of planned
   * work, less what a year of a well kept part costs anyway. Below 0 waiting is the better choice.
   */
  waitingCents: number;
};

/** docs/model/planning.md#due-date: due when its hazard reaches that of a new part at the best age. */
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

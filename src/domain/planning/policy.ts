import { gammaOfOnePlus } from "../gamma.ts";
import { type Kind, lifespanYearsOf } from "./part.ts";

/** The longest age to consider, in effective lifespans. */
const LONGEST_AGE_LIFESPANS = 3;
/** Replacement by age must cost less than this share of run to failure. */
const WORTH_PLANNING = 0.95;

/**
 * The long-run policy of a kind of part (age replacement; Barlow and Hunter 1960, "Optimum preventive maintenance
 * policies"). Costs are in cents per year.
 */
export type Policy = {
  /** T* in months: the age at which a new part is replaced; null for run to failure. */
  bestAgeMonths: number | null;
  /** g: cost of the better policy. */
  yearlyCents: number;
  /** g∞: cost of run to failure. */
  yearlyCentsRunToFailure: number;
};

/** Returns the cheaper of replacement at the best age and run to failure (docs/model/planning.md#best-age). */
export function policyOf(kind: Kind): Policy {
  const { shape, scaleYears, plannedCents, failureCents } = kind;
  const yearlyCentsRunToFailure = failureCents / (scaleYears * gammaOfOnePlus(1 / shape));
  const runToFailure = { bestAgeMonths: null, yearlyCents: yearlyCentsRunToFailure, yearlyCentsRunToFailure };
  // With a constant hazard, or a failure that costs no more than planned work, age is no reason to replace.
  if (shape <= 1 || failureCents <= plannedCents) return runToFailure;
  const best = cheapestAge(kind);
  if (!best || best.yearlyCents >= WORTH_PLANNING * yearlyCentsRunToFailure) return runToFailure;
  return { bestAgeMonths: best.months, yearlyCents: best.yearlyCents, yearlyCentsRunToFailure };
}

function cheapestAge(kind: Kind) {
  const { shape, scaleYears, plannedCents, failureCents } = kind;
  const months = Math.floor(LONGEST_AGE_LIFESPANS * 12 * lifespanYearsOf(kind));
  let best: { months: number; yearlyCents: number } | undefined;
  let serviceYears = 0;
  let before = 1;
  for (let month = 1; month <= months; month++) {
    const survival = Math.exp(-((month / 12 / scaleYears) ** shape));
    serviceYears += (before + survival) / 24;
    const yearlyCents = (plannedCents * survival + failureCents * (1 - survival)) / serviceYears;
    // With a rising hazard the cost falls to its minimum and then rises for good: the marginal cost of a month,
    // 24·(c_f − c_p)·tanh(ΔH/2) per year of service, rises from month to month.
    if (best && yearlyCents > best.yearlyCents) break;
    if (!best || yearlyCents < best.yearlyCents) best = { months: month, yearlyCents };
    before = survival;
  }
  return best;
}

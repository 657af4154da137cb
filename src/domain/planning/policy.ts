import { gammaOfOnePlus } from "./gamma.ts";
import { type Kind, lifespanYearsOf } from "./part.ts";

/** Looked through up to so many effective lifespans. */
const LONGEST_AGE_LIFESPANS = 3;
/** Replacing by age is advised where it costs less than this share of running to failure. */
const WORTH_PLANNING = 0.95;

/**
 * How a kind of part is best kept up in the long run (age replacement; Barlow and Hunter 1960, "Optimum preventive
 * maintenance policies"). Costs in cents a year.
 */
export type Policy = {
  /** T* in months: a new part is replaced at this age at the latest. Null: it is run to failure. */
  bestAgeMonths: number | null;
  /** g*: what it costs by the better policy. */
  yearlyCents: number;
  /** g∞: what it costs when every one is run to failure. */
  yearlyCentsRunToFailure: number;
};

/** The best age over whole months, the integral of S by trapezoids of a month (docs/model/planning.md#best-age). */
export function policyOf(kind: Kind): Policy {
  const { shape, scaleYears, plannedCents, failureCents } = kind;
  const yearlyCentsRunToFailure = failureCents / (scaleYears * gammaOfOnePlus(1 / shape));
  const runToFailure = { bestAgeMonths: null, yearlyCents: yearlyCentsRunToFailure, yearlyCentsRunToFailure };
  // A hazard that does not rise, or a failure that costs no more than planned work: age is no reason to replace.
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
    // With a rising hazard the cost falls to its least and then rises for good: each month's cost per year of service,
    // 24·(c_f − c_p)·tanh(ΔH/2), is higher than the month's before.
    if (best && yearlyCents > best.yearlyCents) break;
    if (!best || yearlyCents < best.yearlyCents) best = { months: month, yearlyCents };
    before = survival;
  }
  return best;
}

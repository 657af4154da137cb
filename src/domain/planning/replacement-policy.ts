import { gammaOfOnePlus } from "../statistics/gamma-distribution.ts";
import { fastPower, lifespanYearsOf, type PartKind } from "./part-in-place.ts";

/** The longest age to consider, in effective lifespans and in months. */
const LONGEST_AGE_LIFESPANS = 3;
const LONGEST_AGE_MONTHS = 720;
/** Replacement by age must cost less than this share of run to failure. */
const WORTH_PLANNING = 0.95;

/** The reason for replacing a kind of part at an age: its certified life, its cost, or the safety of people. */
export type AgeBasis = "fixed_life" | "cost" | "safety";

/**
 * The long-run policy of a kind of part (age replacement; Barlow and Hunter 1960, "Optimum preventive maintenance
 * policies"). Costs are in cents per year.
 */
export type Policy = {
  /** K in months: the age at which a new part is replaced; null for run to failure. */
  bestAgeMonths: number | null;
  /** The reason for that age; null for run to failure. */
  basis: AgeBasis | null;
  /** g: cost of the policy. */
  yearlyCents: number;
  /** g∞: cost of run to failure. */
  yearlyCentsRunToFailure: number;
};

/** Returns the age at which a kind of part is replaced, or run to failure (docs/model/planning.md#policy-of-a-part). */
export function replacementPolicyOf(kind: PartKind): Policy {
  const { shape, scaleYears, failureCents, fixedLifeYears } = kind;
  const yearlyCentsRunToFailure = failureCents / (scaleYears * gammaOfOnePlus(1 / shape));
  const atAge = (bestAgeMonths: number, basis: AgeBasis) => ({
    bestAgeMonths,
    basis,
    yearlyCents: yearlyCostAt(kind, bestAgeMonths),
    yearlyCentsRunToFailure,
  });
  if (fixedLifeYears !== null) return atAge(Math.max(1, Math.round(12 * fixedLifeYears)), "fixed_life");
  const best = cheapestAge(kind);
  if (best && best.yearlyCents < WORTH_PLANNING * yearlyCentsRunToFailure)
    return {
      bestAgeMonths: best.months,
      basis: "cost",
      yearlyCents: best.yearlyCents,
      yearlyCentsRunToFailure,
    };
  if (kind.safety) return atAge(Math.max(1, Math.round(12 * lifespanYearsOf(kind))), "safety");
  return {
    bestAgeMonths: null,
    basis: null,
    yearlyCents: yearlyCentsRunToFailure,
    yearlyCentsRunToFailure,
  };
}

/** Returns g_K, the long-run yearly cost of replacement at an age in months. */
function yearlyCostAt(kind: PartKind, ageMonths: number): number {
  let cost = 0;
  for (const at of costsByAge(kind, ageMonths)) cost = at;
  return cost;
}

/** Returns undefined where no age can cost less than run to failure. */
function cheapestAge(kind: PartKind) {
  // With a hazard that does not rise, or a failure that costs no more than planned work, age is no reason to replace.
  if (kind.shape <= 1 || kind.failureCents <= kind.plannedCents) return undefined;
  const longest = Math.min(LONGEST_AGE_MONTHS, Math.ceil(LONGEST_AGE_LIFESPANS * 12 * lifespanYearsOf(kind)));
  let best: { months: number; yearlyCents: number } | undefined;
  let months = 0;
  for (const yearlyCents of costsByAge(kind, longest)) {
    months++;
    // With a rising hazard the cost falls to its minimum and then rises for good: the marginal cost of a month,
    // 24·(c_f − c_p)·tanh(ΔH/2) per year of service, rises from month to month.
    if (best && yearlyCents > best.yearlyCents) break;
    if (!best || yearlyCents < best.yearlyCents) best = { months, yearlyCents };
  }
  return best;
}

/** Returns the long-run yearly cost of replacement at each age, from one month on. */
function* costsByAge({ shape, scaleYears, plannedCents, failureCents }: PartKind, months: number) {
  const step = 1 / 12 / scaleYears;
  let serviceYears = 0;
  let before = 1;
  for (let month = 1; month <= months; month++) {
    const survival = Math.exp(-fastPower(month * step, shape));
    serviceYears += (before + survival) / 24;
    yield (plannedCents * survival + failureCents * (1 - survival)) / serviceYears;
    before = survival;
  }
}

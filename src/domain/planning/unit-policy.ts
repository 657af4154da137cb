import { LOOKAHEAD_MONTHS, MAX_PLAN_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./new-part.ts";
import { monthlyFailureProbabilities, newPartSurvival } from "./part-in-place.ts";
import { convolutionAt, cumulativeSums, renewalsByAge, solveRenewalEquation } from "./renewals.ts";
import type { WholeUnitKind } from "./whole-unit.ts";

/** The long-run policy of a kind of unit. Costs are in cents per year. */
export type UnitPolicy = {
  /** T in months: the age at which a new unit is replaced; 480 for one that goes when its principal part fails. */
  bestAgeMonths: number;
  /** g: cost of the policy, repairs included. */
  yearlyCents: number;
};

/** The expected events of a new unit and all that follow it, from the installation to the end of each month. */
export type NewUnit = {
  policy: UnitPolicy;
  failures: Float64Array;
  planned: Float64Array;
  /** Cost of the repairs of minor parts, in cents. */
  repairs: Float64Array;
  /** The expected failures if units and parts are run to failure. */
  failuresRunToFailure: Float64Array;
  repairsRunToFailure: Float64Array;
};

/** Returns the new unit of a kind whose new minor parts are given in the kind's order. */
export function makeNewUnit(kind: WholeUnitKind, minors: readonly KnownPart[]): NewUnit {
  const survival = kind.principal
    ? newPartSurvival(kind.principal, LOOKAHEAD_MONTHS)
    : new Float64Array(LOOKAHEAD_MONTHS + 1).fill(1);
  const working = meanSurvivalByMonth(survival);
  const repairCosts = new Float64Array(LOOKAHEAD_MONTHS + 1);
  const repairCostsRunToFailure = new Float64Array(LOOKAHEAD_MONTHS + 1);
  for (const minor of minors) {
    const costs = minor.costs;
    const costsRunToFailure = minor.costsRunToFailure();
    for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
      repairCosts[month]! += costs[month]! * working[month]!;
      repairCostsRunToFailure[month]! += costsRunToFailure[month]! * working[month]!;
    }
  }
  const policy = unitPolicyOf(kind, survival, working, repairCosts);
  const lives = monthlyFailureProbabilities(survival);
  const { failures, planned } = renewalsByAge(lives, survival, policy.bestAgeMonths);
  const renewals = failures.map((share, month) => share + planned[month]!);
  repairCosts.fill(0, policy.bestAgeMonths + 1);
  const failuresRunToFailure = kind.principal
    ? solveRenewalEquation(lives)
    : new Float64Array(LOOKAHEAD_MONTHS + 1);
  const sums = (values: Float64Array) => cumulativeSums(values, MAX_PLAN_MONTHS + 1);
  return {
    policy,
    failures: sums(failures),
    planned: sums(planned),
    repairs: sums(withSuccessors(repairCosts, renewals)),
    failuresRunToFailure: sums(failuresRunToFailure),
    repairsRunToFailure: sums(withSuccessors(repairCostsRunToFailure, failuresRunToFailure)),
  };
}

/** Returns s̄_k, the mean of the survival over each month; index 0 is 0. */
export function meanSurvivalByMonth(survival: Float64Array): Float64Array {
  const working = new Float64Array(survival.length);
  for (let month = 1; month < survival.length; month++)
    working[month] = (survival[month - 1]! + survival[month]!) / 2;
  return working;
}

/** Returns the cheapest age of a unit with its repairs (docs/model/planning.md#policy-of-a-whole-unit). */
function unitPolicyOf(
  { priceCents, failedPriceCents, capMonths }: WholeUnitKind,
  survival: Float64Array,
  working: Float64Array,
  repairCosts: Float64Array,
): UnitPolicy {
  const latest = Math.min(capMonths ?? LOOKAHEAD_MONTHS, LOOKAHEAD_MONTHS);
  let best: UnitPolicy | undefined;
  let repairs = 0;
  let serviceYears = 0;
  for (let month = 1; month <= latest; month++) {
    repairs += repairCosts[month]!;
    serviceYears += working[month]! / 12;
    const works = survival[month]!;
    const yearlyCents = (priceCents * works + failedPriceCents * (1 - works) + repairs) / serviceYears;
    if (!best || yearlyCents < best.yearlyCents) best = { bestAgeMonths: month, yearlyCents };
  }
  return best!;
}

/** Returns the costs by month of a unit and of those that renewals install after it. */
function withSuccessors(costs: Float64Array, renewals: Float64Array): Float64Array {
  const total = costs.slice();
  for (let month = 2; month <= MAX_PLAN_MONTHS; month++)
    total[month]! += convolutionAt(month, renewals, costs, month - 1);
  return total;
}

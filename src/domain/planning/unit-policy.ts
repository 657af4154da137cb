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
export const makeNewUnit = (kind: Omit<WholeUnitKind, "minors">, minors: readonly KnownPart[]): NewUnit =>
  new DerivedUnit(kind, minors);

/** A new unit of which more than the policy, all that tells when units are due, is computed when it is first needed. */
class DerivedUnit implements NewUnit {
  readonly policy: UnitPolicy;
  #events: Omit<NewUnit, "policy"> | undefined;

  constructor(
    private readonly kind: Omit<WholeUnitKind, "minors">,
    private readonly minors: readonly KnownPart[],
  ) {
    const survival = newUnitSurvival(kind);
    const working = meanSurvivalByMonth(survival);
    const costs = minors.map((minor) => minor.costs);
    this.policy = unitPolicyOf(kind, survival, working, costsWhileWorking(costs, working));
  }

  get #made() {
    this.#events ??= eventsOfNewUnit(this.kind, this.minors, this.policy);
    return this.#events;
  }

  get failures() {
    return this.#made.failures;
  }

  get planned() {
    return this.#made.planned;
  }

  get repairs() {
    return this.#made.repairs;
  }

  get failuresRunToFailure() {
    return this.#made.failuresRunToFailure;
  }

  get repairsRunToFailure() {
    return this.#made.repairsRunToFailure;
  }
}

const newUnitSurvival = ({ principal }: Pick<WholeUnitKind, "principal">) =>
  principal ? newPartSurvival(principal, LOOKAHEAD_MONTHS) : new Float64Array(LOOKAHEAD_MONTHS + 1).fill(1);

/** Returns the costs of parts by month, as long as their unit works. */
function costsWhileWorking(ofParts: readonly Float64Array[], working: Float64Array): Float64Array {
  const sums = new Float64Array(LOOKAHEAD_MONTHS + 1);
  for (const costs of ofParts)
    for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) sums[month]! += costs[month]! * working[month]!;
  return sums;
}

function eventsOfNewUnit(
  kind: Omit<WholeUnitKind, "minors">,
  minors: readonly KnownPart[],
  { bestAgeMonths }: UnitPolicy,
): Omit<NewUnit, "policy"> {
  const survival = newUnitSurvival(kind);
  const working = meanSurvivalByMonth(survival);
  const costs = minors.map((minor) => minor.costs);
  const costsRunToFailure = minors.map((minor) => minor.costsRunToFailure());
  const lives = monthlyFailureProbabilities(survival);
  const { failures, planned } = renewalsByAge(lives, survival, bestAgeMonths);
  const renewals = failures.map((share, month) => share + planned[month]!);
  const repairs = costsWhileWorking(costs, working).fill(0, bestAgeMonths + 1);
  const repairsRunToFailure = costsWhileWorking(costsRunToFailure, working);
  const failuresRunToFailure = kind.principal
    ? solveRenewalEquation(lives)
    : new Float64Array(LOOKAHEAD_MONTHS + 1);
  const sums = (values: Float64Array) => cumulativeSums(values, MAX_PLAN_MONTHS + 1);
  return {
    failures: sums(failures),
    planned: sums(planned),
    repairs: sums(withSuccessors(repairs, renewals)),
    failuresRunToFailure: sums(failuresRunToFailure),
    repairsRunToFailure: sums(withSuccessors(repairsRunToFailure, failuresRunToFailure)),
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
  { priceCents, failedPriceCents, capMonths }: Omit<WholeUnitKind, "minors">,
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

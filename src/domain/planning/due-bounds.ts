import type { unitWithMinorParts } from "./appliance-plan.ts";
import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { fastPower, survivalOfPartInPlace, survivalProbabilityAt } from "./part-in-place.ts";
import { replacementMonth } from "./replacement-advice.ts";
import { meanSurvivalByMonth } from "./unit-policy.ts";
import type { UnitInPlace } from "./whole-unit.ts";

/** A unit with its parts at one end of the wear that a held decision allows. */
export type WornUnit = ReturnType<typeof unitWithMinorParts>;
type WornPart = WornUnit["minors"][number];

/** The months between the points at which sums are bounded. */
const STEP = 6;
const POINTS = LOOKAHEAD_MONTHS / STEP;

/** Returns the month in which a part is replaced as planned, if it works until then. */
export const plannedMonth = ({ plan: { dueInYears } }: WornPart) =>
  dueInYears === null ? Number.POSITIVE_INFINITY : Math.max(1, replacementMonth(dueInYears));

/**
 * The bounds of the sum of costs whose least tells when a unit is due, for all wear between `little` and `much`. The more worn the
 * parts are, the more they and their successors have cost by any month; and the survival of the unit, which weighs the months,
 * falls with time and wear. So the sum is at least that of the costs of little wear, each counted at the end of its step with
 * the survival of much wear, less the successors' share with that of little wear; and at most the reverse.
 */
export class DueBounds {
  readonly #monthly: number;
  readonly #weights: Record<"little" | "much", Float64Array>;
  readonly #least: Float64Array;
  readonly #most: Float64Array;

  constructor(little: WornUnit, much: WornUnit) {
    this.#monthly = little.newUnit.policy.yearlyCents / 12;
    this.#weights = { little: weightsOf(little), much: weightsOf(much) };
    this.#least = failureCosts(little);
    this.#most = failureCosts(much);
    for (const [index, minor] of little.minors.entries()) {
      const most = much.minors[index]!;
      addLeastCosts(this.#least, minor, most);
      addMostCosts(this.#most, most, minor);
    }
  }

  /** Returns whether the sum of some month is below 0 by a margin. */
  fallsBelow(margin: number): boolean {
    const { little, much } = this.#weights;
    let sum = 0;
    for (let point = 1; point <= POINTS; point++) {
      const before = STEP * (point - 1);
      sum += little[before + 1]! * (this.#most[point]! - this.#most[point - 1]!);
      for (let month = before + 1; month <= before + STEP; month++) sum -= much[month]! * this.#monthly;
      if (sum < -margin) return true;
    }
    return false;
  }

  /** Returns whether the sum of all months is higher than that of some month, by a margin. */
  endsAboveLeast(margin: number): boolean {
    const { little, much } = this.#weights;
    let sum = 0;
    for (let point = POINTS; point >= 1; point--) {
      const before = STEP * (point - 1);
      sum += much[before + STEP]! * (this.#least[point]! - this.#least[point - 1]!);
      for (let month = before + 1; month <= before + STEP; month++) sum -= little[month]! * this.#monthly;
      // So much of the costs may fall before the month instead of after it.
      const early = little[before + 1]! * (this.#most[point - 1]! - this.#least[point - 1]!);
      if (sum - early > margin) return true;
    }
    return false;
  }
}

const survivalOf = ({ unit: { principal, principalAge } }: WornUnit) =>
  principal && principalAge
    ? survivalOfPartInPlace({ ...principal, ...principalAge }, LOOKAHEAD_MONTHS)
    : new Float64Array(LOOKAHEAD_MONTHS + 1).fill(1);

const weightsOf = (worn: WornUnit) => meanSurvivalByMonth(survivalOf(worn));

/** Returns the sum until each point of what failures of the unit cost more than its replacement, in months that it reaches. */
function failureCosts({ unit }: WornUnit): Float64Array {
  const costs = new Float64Array(POINTS + 1);
  const { principal, principalAge } = unit;
  if (!principal || !principalAge) return costs;
  const failedMore = unit.failedPriceCents - unit.priceCents;
  let failures = 0;
  let before = passedHazard(principal, principalAge, 0);
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    const passed = passedHazard(principal, principalAge, month);
    failures += failureProbabilityBetween(principalAge, before, passed);
    before = passed;
    if (month % STEP === 0) costs[month / STEP] = failures * failedMore;
  }
  return costs;
}

/** Returns h, the probability that the principal part, working at the start of a month, fails in it; 0 without one. */
export function failureProbabilityIn({ principal, principalAge }: UnitInPlace, month: number): number {
  if (!principal || !principalAge) return 0;
  const passed = (months: number) => passedHazard(principal, principalAge, months);
  return failureProbabilityBetween(principalAge, passed(month - 1), passed(month));
}

type Principal = NonNullable<UnitInPlace["principal"]>;
type PrincipalAge = NonNullable<UnitInPlace["principalAge"]>;

const passedHazard = ({ shape, scaleYears }: Principal, { ageYears }: PrincipalAge, months: number) =>
  fastPower((ageYears + months / 12) / scaleYears, shape);

const failureProbabilityBetween = ({ hazardRatio }: PrincipalAge, before: number, passed: number) =>
  -Math.expm1(-hazardRatio * (passed - before));

/** Adds the least that a part and its successors have cost until each point: for as little wear as there can be. */
function addLeastCosts(costs: Float64Array, minor: WornPart, much: WornPart): void {
  const { plannedCents, failureCents } = minor.part;
  addCosts(costs, minor, STEP, {
    ownCents: isDueNow(minor) ? plannedCents : Math.min(plannedCents, failureCents),
    // A part that has failed by then has failed whatever its wear.
    lastFailure: isDueNow(much) ? 0 : plannedMonth(much),
  });
}

/** Adds the most that they have cost: for as much wear as there can be. */
function addMostCosts(costs: Float64Array, minor: WornPart, little: WornPart): void {
  addCosts(costs, minor, 1, {
    ownCents: minor.part.plannedCents,
    lastFailure: isDueNow(little) ? 0 : plannedMonth(little),
  });
}

/**
 * Adds the costs of a part that ends in the `at`th month of a step. Its end costs `ownCents`, and more if it fails by
 * `lastFailure`.
 */
function addCosts(
  costs: Float64Array,
  minor: WornPart,
  at: number,
  { ownCents, lastFailure }: { ownCents: number; lastFailure: number },
): void {
  const { part, newPart } = minor;
  const { costsUntil } = newPart;
  const planned = plannedMonth(minor);
  const failedMore = Math.max(0, part.failureCents - part.plannedCents);
  const ended = new Float64Array(POINTS + 1);
  const worksLast = lastFailure < LOOKAHEAD_MONTHS ? survivalProbabilityAt(part, lastFailure) : 0;
  let before = 0;
  for (let point = 1; point <= POINTS; point++) {
    const month = STEP * point;
    const works = survivalProbabilityAt(part, month);
    const by = month >= planned ? 1 : 1 - works;
    ended[point] = by - before;
    before = by;
    let cents = by * ownCents + (1 - (month <= lastFailure ? works : worksLast)) * failedMore;
    for (let end = 1; end <= point; end++) cents += ended[end]! * costsUntil[month - STEP * (end - 1) - at]!;
    costs[point]! += cents;
  }
}

const isDueNow = ({ plan }: WornPart) => plan.dueInYears === 0;

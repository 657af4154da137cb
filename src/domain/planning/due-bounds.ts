import type { MinorPart, UnitWithParts } from "./appliance-plan.ts";
import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { fastPower, PartSurvival } from "./part-in-place.ts";
import { replacementMonth } from "./replacement-advice.ts";
import type { UnitInPlace } from "./whole-unit.ts";

/** The months between the points at which sums are bounded. */
const STEP = 6;
const POINTS = LOOKAHEAD_MONTHS / STEP;

/** Returns the month in which a part is replaced as planned, if it works until then. */
export const plannedMonth = ({ plan: { dueInYears } }: MinorPart) =>
  dueInYears === null ? Number.POSITIVE_INFINITY : Math.max(1, replacementMonth(dueInYears));

/**
 * The bounds of the sum of costs whose least tells when a unit is due, for all wear between `little` and `much`. The more worn the
 * parts are, the more they and their successors have cost by any month; and the survival of the unit, which weighs the months,
 * falls with time and wear. So the sum is at least that of the costs of little wear, each counted at the end of its step with
 * the survival of much wear, less the successors' share with that of little wear; and at most the reverse.
 */
export class DueBounds {
  readonly #monthly: number;
  readonly #weights: Record<"little" | "much", MonthlyWeights>;
  readonly #least: UnitCosts;
  readonly #most: UnitCosts;

  constructor(little: UnitWithParts, much: UnitWithParts) {
    this.#monthly = little.newUnit.policy.yearlyCents / 12;
    this.#weights = { little: new MonthlyWeights(little), much: new MonthlyWeights(much) };
    this.#least = new UnitCosts(
      little,
      little.minors.map((minor, index) => leastCosts(minor, much.minors[index]!)),
    );
    this.#most = new UnitCosts(
      much,
      much.minors.map((minor, index) => mostCosts(minor, little.minors[index]!)),
    );
  }

  /** Returns whether the sum of some month is below 0 by a margin. */
  fallsBelow(margin: number): boolean {
    const { little, much } = this.#weights;
    let sum = 0;
    let most = 0;
    for (let point = 1; point <= POINTS; point++) {
      const before = STEP * (point - 1);
      const mostBefore = most;
      most = this.#most.until(point);
      sum += little.of(before + 1) * (most - mostBefore);
      let latest = 0;
      for (let month = before + 1; month <= before + STEP; month++) {
        latest = much.of(month);
        sum -= latest * this.#monthly;
      }
      if (sum < -margin) return true;
      // Weights do not rise, and costs are not negative.
      if (sum - (LOOKAHEAD_MONTHS - STEP * point) * latest * this.#monthly >= -margin) return false;
    }
    return false;
  }

  /** Returns whether the sum of all months is higher than that of some month, by a margin. */
  endsAboveLeast(margin: number): boolean {
    const { little, much } = this.#weights;
    let sum = 0;
    let least = this.#least.until(POINTS);
    for (let point = POINTS; point >= 1; point--) {
      const before = STEP * (point - 1);
      const leastBefore = this.#least.until(point - 1);
      sum += much.of(before + STEP) * (least - leastBefore);
      least = leastBefore;
      for (let month = before + 1; month <= before + STEP; month++) sum -= little.of(month) * this.#monthly;
      // So much of the costs may fall before the month instead of after it.
      const early = little.of(before + 1) * (this.#most.until(point - 1) - leastBefore);
      if (sum - early > margin) return true;
      // So much at most is added by the months before, whose weights are at most 1.
      if (sum + leastBefore <= margin) return false;
    }
    return false;
  }
}

/** The mean survival of a unit over each month, which weighs it, in months that are asked for one by one. */
class MonthlyWeights {
  readonly #survival: PartSurvival | null;
  /** The latest month that was computed: mostly the one before the next. */
  #month = 0;
  #works = 1;

  constructor({ unit: { principal, principalAge } }: UnitWithParts) {
    this.#survival = principal && principalAge && new PartSurvival({ ...principal, ...principalAge });
  }

  of(month: number): number {
    if (!this.#survival) return 1;
    const before = this.#month === month - 1 ? this.#works : this.#survival.at(month - 1);
    this.#month = month;
    this.#works = this.#survival.at(month);
    return (before + this.#works) / 2;
  }
}

/** A bound of what a unit in place costs until a point. Most points are never asked for, and later ones take longer. */
class UnitCosts {
  readonly #unit: UnitWithParts["unit"];
  readonly #parts: readonly PartCosts[];
  /** The probable failures of the unit until each point, in months that it reaches. */
  readonly #failures: number[] = [0];

  constructor({ unit }: UnitWithParts, parts: readonly PartCosts[]) {
    this.#unit = unit;
    this.#parts = parts;
  }

  until(point: number): number {
    if (point === 0) return 0;
    const { failedPriceCents, priceCents } = this.#unit;
    let cents = this.#failuresUntil(point) * (failedPriceCents - priceCents);
    for (const part of this.#parts) cents += part.until(point);
    return cents;
  }

  #failuresUntil(point: number): number {
    const { principal, principalAge } = this.#unit;
    if (!principal || !principalAge) return 0;
    for (let known = this.#failures.length - 1; known < point; known++) {
      let failures = this.#failures[known]!;
      const from = STEP * known;
      let before = passedHazard(principal, principalAge, from);
      for (let month = from + 1; month <= from + STEP; month++) {
        const passed = passedHazard(principal, principalAge, month);
        failures += failureProbabilityBetween(principalAge, before, passed);
        before = passed;
      }
      this.#failures.push(failures);
    }
    return this.#failures[point]!;
  }
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

/** Returns the least that a part and its successors have cost: for as little wear as there can be. */
function leastCosts(minor: MinorPart, much: MinorPart): PartCosts {
  const { plannedCents, failureCents } = minor.part;
  const ownCents = isDueNow(minor) ? plannedCents : Math.min(plannedCents, failureCents);
  // A part that has failed by then has failed whatever its wear.
  return new PartCosts(minor, STEP, ownCents, lastFailureOf(much));
}

/** Returns the most that they have cost: for as much wear as there can be. */
const mostCosts = (minor: MinorPart, little: MinorPart) =>
  new PartCosts(minor, 1, minor.part.plannedCents, lastFailureOf(little));

/** The costs of a part and its successors until a point, if it ends in the `at`th month of a step. */
class PartCosts {
  readonly #survival: PartSurvival;
  readonly #costsUntil: Float64Array;
  readonly #plannedMonth: number;
  readonly #at: number;
  readonly #ownCents: number;
  readonly #failedMore: number;
  readonly #lastFailure: number;
  readonly #failsByLast: number;
  /** The probability of working at each point, and of ending in the step before it. */
  readonly #works: number[] = [1];
  readonly #ended: number[] = [0];

  /** Its end costs `ownCents`, and more if it fails by `lastFailure`. */
  constructor(minor: MinorPart, at: number, ownCents: number, lastFailure: number) {
    const { part, newPart } = minor;
    this.#survival = new PartSurvival(part);
    this.#costsUntil = newPart.costsUntil;
    this.#plannedMonth = plannedMonth(minor);
    this.#at = at;
    this.#ownCents = ownCents;
    this.#failedMore = Math.max(0, part.failureCents - part.plannedCents);
    this.#lastFailure = lastFailure;
    this.#failsByLast = lastFailure < LOOKAHEAD_MONTHS ? 1 - this.#survival.at(lastFailure) : 1;
  }

  until(point: number): number {
    while (this.#works.length <= point) this.#end(this.#works.length);
    const month = STEP * point;
    const failed = month <= this.#lastFailure ? 1 - this.#works[point]! : this.#failsByLast;
    const ended = this.#ended;
    const costsUntil = this.#costsUntil;
    let cents = this.#endedBy(point) * this.#ownCents + failed * this.#failedMore;
    for (let end = 1, left = month - this.#at; end <= point; end++, left -= STEP)
      cents += ended[end]! * costsUntil[left]!;
    return cents;
  }

  #end(point: number): void {
    this.#works.push(this.#survival.at(STEP * point));
    this.#ended.push(this.#endedBy(point) - this.#endedBy(point - 1));
  }

  #endedBy(point: number): number {
    return STEP * point >= this.#plannedMonth ? 1 : 1 - this.#works[point]!;
  }
}

const lastFailureOf = (minor: MinorPart) => (isDueNow(minor) ? 0 : plannedMonth(minor));
const isDueNow = ({ plan }: MinorPart) => plan.dueInYears === 0;

import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { fastPower } from "./part-in-place.ts";
import { type MinorParts, RepairsByMonth } from "./repairs-by-month.ts";
import { planUnit, type UnitPlan } from "./unit-plan.ts";
import type { NewUnit, UnitPolicy } from "./unit-policy.ts";
import type { UnitInPlace } from "./whole-unit.ts";

/*
 * The advice on a unit that its action follows from. It is that of the unit's plan, which adds up 480 months of repairs; most
 * units show in a few months whether they are due.
 */

/** When a unit is due; `never` is a unit that stays until its principal part fails. */
export const UNIT_TIMINGS = ["now", "later", "never"] as const;
export type UnitTiming = (typeof UNIT_TIMINGS)[number];

export type UnitAdvice = UnitPolicy & { timing: UnitTiming; waitingCents(): number };

/** The month after which the later ones are estimated for the first time; then again after twice as many. */
const FIRST_CHECK = 3;
/** The spans of time by which the repairs of a month are estimated. */
const SPANS = 8;
/** Months that are estimated together at least. */
const MONTHS_TOGETHER = 6;
/** Sums that differ by less than this share of the yearly cost may do so because they are rounded. */
const ROUNDING = 1e-9;

/** Returns the advice on a unit that is planned. */
export const adviceOfPlannedUnit = (plan: UnitPlan): UnitAdvice => ({
  bestAgeMonths: plan.bestAgeMonths,
  yearlyCents: plan.yearlyCents,
  timing: timingOf(plan),
  waitingCents: () => plan.waitingCents,
});

const timingOf = ({ dueInMonths }: UnitPlan): UnitTiming =>
  dueInMonths === null ? "never" : dueInMonths === 0 ? "now" : "later";

/** Returns the advice of `planUnit` in a fraction of its time. */
export function adviseOnUnit(unit: UnitInPlace, minors: MinorParts, newUnit: NewUnit): UnitAdvice {
  const { policy } = newUnit;
  return {
    bestAgeMonths: policy.bestAgeMonths,
    yearlyCents: policy.yearlyCents,
    timing: adviseOnUnitTiming(unit, minors, newUnit),
    waitingCents: () => waitingCents(unit, minors, policy),
  };
}

/** Returns when `planUnit` has a unit due. */
export function adviseOnUnitTiming(unit: UnitInPlace, minors: MinorParts, newUnit: NewUnit): UnitTiming {
  return clearTiming(unit, minors, newUnit.policy) ?? timingOf(planUnit(unit, minors, newUnit));
}

/**
 * Returns when a unit is due; undefined where that hangs on how sums are rounded. It is due in the month until which the costs of
 * keeping it, less its successors', add up to the least.
 */
function clearTiming(
  unit: UnitInPlace,
  minors: MinorParts,
  { yearlyCents }: UnitPolicy,
): UnitTiming | undefined {
  const { capMonths, ageYears } = unit;
  if (capMonths !== null && Math.ceil(capMonths - 12 * ageYears) <= 0) return "now";
  const rounding = ROUNDING * yearlyCents;
  const failedMore = failedMoreCents(unit);
  const repairs = new RepairsByMonth(unit.minors, minors);
  const life = new UnitLife(unit);
  let sum = 0;
  let least = 0;
  let check = FIRST_CHECK;
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    const works = life.works(month - 1);
    const fails = life.fails(month);
    sum += works * (1 - fails / 2) * (fails * failedMore + repairs.next() - yearlyCents / 12);
    if (Math.abs(sum - least) < rounding) {
      if (least === 0 || month === LOOKAHEAD_MONTHS) return undefined;
    } else if (sum < least) {
      // A limit on the age makes any unit due that is not due now.
      if (capMonths !== null) return "later";
      if (month === LOOKAHEAD_MONTHS) return "never";
      if (least === 0 && isCostlyAtLast()) return "later";
      least = sum;
    }
    if (month !== check) continue;
    check *= 2;
    if (sum - least >= rounding && staysAbove(month, sum - least)) break;
  }
  return least === 0 ? "now" : "later";

  /** Returns whether the last month costs more than the successors, so that an earlier one has the least sum. */
  function isCostlyAtLast(): boolean {
    const most = ((1 + ROUNDING) * yearlyCents) / 12;
    const fails = life.fails(LOOKAHEAD_MONTHS) * failedMore;
    return fails > most || fails + repairs.leastOfLast() > most || fails + repairs.last() > most;
  }

  /** Returns whether no sum of later months falls by so much. */
  function staysAbove(month: number, margin: number): boolean {
    if (failedMore < 0 || !life.isHazardRising) return false;
    let left = margin;
    for (let before = month, step = 0; before < LOOKAHEAD_MONTHS; before += step) {
      const later = LOOKAHEAD_MONTHS - before;
      step = Math.min(Math.max(MONTHS_TOGETHER, Math.floor(before / SPANS)), later);
      const moreCents =
        life.fails(before + 1) * failedMore + repairs.least(before + 1, SPANS) - yearlyCents / 12;
      // Both rise, so that each later month costs more than its successors, too.
      if (moreCents >= 0) return true;
      const works = life.works(before);
      if (left + works * later * moreCents >= rounding) return true;
      left += works * step * moreCents;
      if (left < rounding) return false;
      // In place, parts cost something that does not rise with the months, and at the latest in the last of them.
      left += life.works(before + step) * repairs.ofPartsInPlace(before, before + step);
    }
    return true;
  }
}

const failedMoreCents = ({ failedPriceCents, priceCents }: UnitInPlace) => failedPriceCents - priceCents;

/** The life of a unit in place, which ends with its principal part. */
class UnitLife {
  readonly #principal: { shape: number; scaleYears: number; ageYears: number; hazardRatio: number } | null;
  #known = { month: 0, passed: 0 };
  readonly #passed: number;

  constructor({ principal, principalAge }: UnitInPlace) {
    this.#principal = principal &&
      principalAge && {
        shape: principal.shape,
        scaleYears: principal.scaleYears,
        ageYears: principalAge.ageYears,
        hazardRatio: principalAge.hazardRatio,
      };
    this.#passed = this.#hazardUntil(0);
    this.#known.passed = this.#passed;
  }

  /** Returns whether the hazard does not fall from month to month. */
  get isHazardRising(): boolean {
    return this.#principal === null || this.#principal.shape >= 1;
  }

  /** Returns h of a month: the probability that the unit fails in it, given that it works at its beginning. */
  fails(month: number): number {
    if (!this.#principal) return 0;
    const known = this.#known;
    const before = known.month === month - 1 ? known.passed : this.#hazardUntil(month - 1);
    known.month = month;
    known.passed = this.#hazardUntil(month);
    return -Math.expm1(-this.#principal.hazardRatio * (known.passed - before));
  }

  /** Returns the probability that the unit works at the end of a month. */
  works(month: number): number {
    if (!this.#principal) return 1;
    const until = this.#known.month === month ? this.#known.passed : this.#hazardUntil(month);
    return Math.exp(-this.#principal.hazardRatio * (until - this.#passed));
  }

  #hazardUntil(month: number): number {
    if (!this.#principal) return 0;
    const { shape, scaleYears, ageYears } = this.#principal;
    return fastPower((ageYears + month / 12) / scaleYears, shape);
  }
}

/** Returns the expected cost of waiting a year. */
function waitingCents(unit: UnitInPlace, minors: MinorParts, { yearlyCents }: UnitPolicy): number {
  const repairs = new RepairsByMonth(unit.minors, minors);
  const life = new UnitLife(unit);
  let cents = -yearlyCents;
  for (let month = 1; month <= 12; month++)
    cents += life.works(month - 1) * life.fails(month) * failedMoreCents(unit) + repairs.next();
  return cents;
}

import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./new-part.ts";
import { failing, type PartInPlace, power, survivalInPlace } from "./part-in-place.ts";
import type { PartPlan } from "./plan.ts";
import { convolvedAt } from "./renewals.ts";
import { monthOf } from "./replacement-advice.ts";
import { endOf } from "./schedule.ts";
import type { Unit } from "./unit.ts";
import { planUnit, type UnitPlan } from "./unit-plan.ts";
import type { NewUnit, UnitPolicy } from "./unit-policy.ts";

/*
 * The advice on a unit that its action follows from. It is that of the unit's plan, which adds up 480 months of repairs; most
 * units show in a few months whether they are due.
 */

/** When a unit is due; `never` is a unit that stays until its principal part fails. */
export const UNIT_TIMINGS = ["now", "later", "never"] as const;
export type UnitTiming = (typeof UNIT_TIMINGS)[number];

export type UnitAdvice = UnitPolicy & { timing: UnitTiming; waitingCents(): number };

/** The plan and the new part of each minor part, in their order. */
type Minors = readonly { plan: PartPlan; newPart: KnownPart }[];

/** The months whose repairs are added up before those of all months are: more of them only where fewer leave it open. */
const FIRST_MONTHS = [24, 120] as const;
/** Sums that differ by less than this share of the yearly cost may do so because they are rounded. */
const ROUNDING = 1e-9;

/** Returns the advice on a unit that is planned. */
export const adviceOf = (plan: UnitPlan): UnitAdvice => ({
  bestAgeMonths: plan.bestAgeMonths,
  yearlyCents: plan.yearlyCents,
  timing: timingOf(plan),
  waitingCents: () => plan.waitingCents,
});

const timingOf = ({ dueInMonths }: UnitPlan): UnitTiming =>
  dueInMonths === null ? "never" : dueInMonths === 0 ? "now" : "later";

/** Returns the advice of `planUnit` in a fraction of its time. */
export function adviseOnUnit(unit: Unit, minors: Minors, newUnit: NewUnit): UnitAdvice {
  const { policy } = newUnit;
  const isDue = isObviouslyDue(unit, minors, policy);
  const isObviouslyLater =
    isDue === false && (unit.capMonths !== null || isCostlyAtLast(unit, minors, policy));
  return {
    ...policy,
    timing: isDue ? "now" : isObviouslyLater ? "later" : timingOf(planUnit(unit, minors, newUnit)),
    waitingCents: () => waitingCents(unit, minors, policy),
  };
}

/**
 * Returns whether a unit in place is due now; undefined where only the repairs of later months tell. It is due if no sum of
 * months in which it is kept costs less than its successors.
 */
function isObviouslyDue(unit: Unit, minors: Minors, { yearlyCents }: UnitPolicy): boolean | undefined {
  const { capMonths, ageYears } = unit;
  if (capMonths !== null && Math.ceil(capMonths - 12 * ageYears) <= 0) return true;
  const least = ROUNDING * yearlyCents;
  // Most units are kept, which their first month shows.
  if (firstMonthCents(unit, minors) - yearlyCents / 12 < -least) return false;
  for (const months of FIRST_MONTHS) {
    const isDue = isDueByFirst(months, unit, minors, yearlyCents);
    if (isDue !== undefined) return isDue;
  }
  return undefined;
}

/** Returns whether a unit is due now as far as the repairs of its first months tell. */
function isDueByFirst(months: number, unit: Unit, minors: Minors, yearlyCents: number): boolean | undefined {
  const least = ROUNDING * yearlyCents;
  const repairs = firstRepairs(unit, minors, months);
  const hazard = hazardsOf(unit);
  const isRising = isHazardRising(unit);
  let sum = 0;
  let survival = 1;
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    const fails = hazard(month);
    let moreCents = fails * failedMoreCents(unit) - yearlyCents / 12;
    if (month <= months) moreCents += repairs[month]!;
    else {
      if (isRising) moreCents += leastRepairs(unit, minors, month);
      // Both rise, so that each later month costs more than its successors, too.
      if (moreCents >= 0 && isRising) return true;
      const mostSavedCents = (survival * (LOOKAHEAD_MONTHS - month + 1) * yearlyCents) / 12;
      if (sum - mostSavedCents >= least && failedMoreCents(unit) >= 0) return true;
    }
    sum += survival * (1 - fails / 2) * moreCents;
    survival *= 1 - fails;
    if (sum < -least && month <= months) return false;
    if (!(sum >= least)) return undefined;
  }
  return true;
}

/** Returns whether a unit costs more in its last month than its successors, so that an earlier one has the least sum. */
function isCostlyAtLast(unit: Unit, minors: Minors, { yearlyCents }: UnitPolicy): boolean {
  const fails = hazardsOf(unit)(LOOKAHEAD_MONTHS);
  const cents = fails * failedMoreCents(unit) + leastRepairs(unit, minors, LOOKAHEAD_MONTHS);
  return cents > ((1 + ROUNDING) * yearlyCents) / 12;
}

/** Returns whether the expected cost of a failure of the unit does not fall from month to month. */
const isHazardRising = (unit: Unit) =>
  unit.principal === null || (unit.principal.shape >= 1 && failedMoreCents(unit) >= 0);

/**
 * Returns an amount that the repairs of a month cost at least, and that does not fall from month to month: parts in place that
 * have ended by the middle of the time before have successors of at least half of its age.
 */
function leastRepairs(unit: Unit, minors: Minors, month: number): number {
  const half = Math.floor(month / 2);
  let cents = 0;
  for (const [index, part] of unit.minors.entries()) {
    const { plan, newPart } = minors[index]!;
    const due = monthsUntil(plan);
    const ended = due !== null && due <= half ? 1 : 1 - worksAfter(part, half);
    cents += ended * newPart.leastCosts[month - half]!;
  }
  return cents;
}

/** Returns S¹ of a month: the probability that a part in place still works then. */
function worksAfter({ shape, scaleYears, ageYears, hazardRatio }: PartInPlace, months: number): number {
  const passed = power((ageYears + months / 12) / scaleYears, shape) - power(ageYears / scaleYears, shape);
  return Math.exp(-hazardRatio * passed);
}

const failedMoreCents = ({ failedPriceCents, priceCents }: Unit) => failedPriceCents - priceCents;

/** Returns h of a month: the probability that the unit fails in it, given that it works at its beginning. */
function hazardsOf({ principal, principalAge }: Unit): (month: number) => number {
  if (!principal || !principalAge) return () => 0;
  const { shape, scaleYears } = principal;
  const { ageYears, hazardRatio } = principalAge;
  const passed = (month: number) => ((ageYears + month / 12) / scaleYears) ** shape;
  let known = { month: 0, passed: passed(0) };
  return (month) => {
    const before = known.month === month - 1 ? known.passed : passed(month - 1);
    known = { month, passed: passed(month) };
    return -Math.expm1(-hazardRatio * (known.passed - before));
  };
}

/** Returns what keeping a unit costs in its first month. */
function firstMonthCents(unit: Unit, minors: Minors): number {
  let cents = hazardsOf(unit)(1) * failedMoreCents(unit);
  for (const [index, part] of unit.minors.entries()) {
    const due = monthsUntil(minors[index]!.plan);
    const works = worksAfter(part, 1);
    if (due !== 0) cents += (1 - works) * part.failureCents;
    if (due === 0) cents += part.plannedCents;
    else if (due === 1) cents += works * part.plannedCents;
  }
  return cents;
}

const monthsUntil = ({ dueInYears }: PartPlan) => (dueInYears === null ? null : monthOf(dueInYears));

/** Returns the expected cost of waiting a year. */
function waitingCents(unit: Unit, minors: Minors, { yearlyCents }: UnitPolicy): number {
  const repairs = firstRepairs(unit, minors, 12);
  const hazard = hazardsOf(unit);
  let cents = -yearlyCents;
  let survival = 1;
  for (let month = 1; month <= 12; month++) {
    const fails = hazard(month);
    cents += survival * fails * failedMoreCents(unit) + repairs[month]!;
    survival *= 1 - fails;
  }
  return cents;
}

/** Returns the expected cost of the minor parts in place and their successors in the first months; index 0 is 0. */
function firstRepairs(unit: Unit, minors: Minors, months: number): Float64Array {
  const costs = new Float64Array(months + 1);
  for (const [index, part] of unit.minors.entries()) {
    const { plan, newPart } = minors[index]!;
    const survival = survivalInPlace(part, months);
    const { failed, planned, ended } = endOf(failing(survival), survival, monthsUntil(plan));
    for (let month = 1; month <= months; month++)
      costs[month]! +=
        failed[month]! * part.failureCents +
        planned[month]! * part.plannedCents +
        convolvedAt(month, ended, newPart.costs, month - 1);
  }
  return costs;
}

import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./known-part.ts";
import { failing, type Part, survivalInPlace } from "./part.ts";
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
type Timing = "now" | "later" | "never";

export type UnitAdvice = UnitPolicy & { timing: Timing; waitingCents(): number };

/** The plan and the new part of each minor part, in their order. */
type Minors = readonly { plan: PartPlan; newPart: KnownPart }[];

/** The months whose repairs are added up before those of all months are. */
const FIRST_MONTHS = 36;
/** Sums that differ by less than this share of the yearly cost may do so because they are rounded. */
const ROUNDING = 1e-9;

/** Returns the advice on a unit that is planned. */
export const adviceOf = (plan: UnitPlan): UnitAdvice => ({
  bestAgeMonths: plan.bestAgeMonths,
  yearlyCents: plan.yearlyCents,
  timing: timingOf(plan),
  waitingCents: () => plan.waitingCents,
});

const timingOf = ({ dueInMonths }: UnitPlan): Timing =>
  dueInMonths === null ? "never" : dueInMonths === 0 ? "now" : "later";

/** Returns the advice of `planUnit` in a fraction of its time. */
export function adviseOnUnit(unit: Unit, minors: Minors, newUnit: NewUnit): UnitAdvice {
  const { policy } = newUnit;
  const isDue = isObviouslyDue(unit, minors, policy);
  const isObviouslyLater = isDue === false && (unit.capMonths !== null || isCostlyAtLast(unit, policy));
  return {
    ...policy,
    timing: isDue ? "now" : isObviouslyLater ? "later" : timingOf(planUnit(unit, minors, newUnit)),
    waitingCents: () => waitingCents(unit, minors, policy),
  };
}

/** Returns whether a unit in place is due now. */
export const isDueNow = (unit: Unit, minors: Minors, newUnit: NewUnit): boolean =>
  isObviouslyDue(unit, minors, newUnit.policy) ?? planUnit(unit, minors, newUnit).dueInMonths === 0;

/**
 * Returns whether a unit in place is due now; undefined where only the repairs of later months tell. It is due if no sum of
 * months in which it is kept costs less than its successors.
 */
function isObviouslyDue(unit: Unit, minors: Minors, { yearlyCents }: UnitPolicy): boolean | undefined {
  const { principal, capMonths, ageYears } = unit;
  if (capMonths !== null && Math.ceil(capMonths - 12 * ageYears) <= 0) return true;
  const least = ROUNDING * yearlyCents;
  // Most units are kept, which their first month shows.
  if (firstMonthCents(unit, minors) - yearlyCents / 12 < -least) return false;
  const repairs = firstRepairs(unit, minors, FIRST_MONTHS);
  const hazard = hazardsOf(unit);
  let sum = 0;
  let survival = 1;
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    const fails = hazard(month);
    const savedCents = fails * failedMoreCents(unit) - yearlyCents / 12;
    if (month > FIRST_MONTHS) {
      // A hazard that rises makes each later month cost more than its successors, too.
      if (savedCents >= 0 && (principal?.shape ?? 0) >= 1) return true;
      const mostSavedCents = (survival * (LOOKAHEAD_MONTHS - month + 1) * yearlyCents) / 12;
      if (sum - mostSavedCents >= least && failedMoreCents(unit) >= 0) return true;
    }
    sum += survival * (1 - fails / 2) * (savedCents + (repairs[month] ?? 0));
    survival *= 1 - fails;
    if (sum < -least && month <= FIRST_MONTHS) return false;
    if (!(sum >= least)) return undefined;
  }
  return true;
}

/** Returns whether a unit costs more in its last month than its successors, so that an earlier one has the least sum. */
function isCostlyAtLast(unit: Unit, { yearlyCents }: UnitPolicy): boolean {
  const fails = hazardsOf(unit)(LOOKAHEAD_MONTHS);
  return fails * failedMoreCents(unit) > ((1 + ROUNDING) * yearlyCents) / 12;
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
    const [, works] = survivalInPlace(part, 1);
    if (due !== 0) cents += (1 - works!) * part.failureCents;
    if (due === 0) cents += part.plannedCents;
    else if (due === 1) cents += works! * part.plannedCents;
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
    const later = costsOfNew(part, newPart, months);
    const survival = survivalInPlace(part, months);
    const { failed, planned, ended } = endOf(failing(survival), survival, monthsUntil(plan));
    for (let month = 1; month <= months; month++)
      costs[month]! +=
        failed[month]! * part.failureCents +
        planned[month]! * part.plannedCents +
        convolvedAt(month, ended, later, month - 1);
  }
  return costs;
}

/** Returns the cost of failures and planned renewals of a new part in its first months. */
function costsOfNew(
  { failureCents, plannedCents }: Part,
  { failures, planned }: KnownPart,
  months: number,
): Float64Array {
  const costs = new Float64Array(months + 1);
  for (let month = 1; month <= months; month++)
    costs[month] = failures[month]! * failureCents + planned[month]! * plannedCents;
  return costs;
}

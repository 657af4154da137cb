import { MAX_PLAN_YEARS } from "./renewals.ts";
import { emptyYearlyCosts, YEARLY_COST_ROWS, type YearlyCosts } from "./schedule.ts";

/** `YearlyCosts` as stored: whole cents, and the variance in whole square dollars. */
export type StoredYearlyCosts = Record<keyof YearlyCosts, number[]>;

/** The sum of the plans of a property's or portfolio's components, in whole cents. */
export type PlanSums = {
  /** Units, at least one per property. */
  doors: number;
  /** Components due now. */
  dueCount: number;
  /** Their planned cost. */
  dueCents: number;
  /** Their cost of waiting a year. */
  dueWaitingCents: number;
  /** The years of the longest plan. */
  years: StoredYearlyCosts;
};

const SQUARE_CENTS = 10_000;

export const emptyPlanSums = (): PlanSums => ({
  doors: 0,
  dueCount: 0,
  dueCents: 0,
  dueWaitingCents: 0,
  years: toStoredYearlyCosts(emptyYearlyCosts(MAX_PLAN_YEARS)),
});

/** Rounds yearly costs. Every figure shown is computed from the result, so that figures add up. */
export function toStoredYearlyCosts({
  planned,
  failures,
  runToFailure,
  variance,
}: YearlyCosts): StoredYearlyCosts {
  return {
    planned: whole(planned),
    failures: whole(failures),
    runToFailure: whole(runToFailure),
    variance: whole(variance, SQUARE_CENTS),
  };
}

const whole = (row: Float64Array, unit = 1) => Array.from(row, (value) => Math.round(value / unit));

/** Returns the first `count` years, in cents, for `capitalPlanOf`. */
export function firstYears(sums: StoredYearlyCosts, count: number): YearlyCosts {
  const head = (row: readonly number[], unit = 1) => Float64Array.from(row.slice(0, count), (n) => n * unit);
  return {
    planned: head(sums.planned),
    failures: head(sums.failures),
    runToFailure: head(sums.runToFailure),
    variance: head(sums.variance, SQUARE_CENTS),
  };
}

/** Adds `other` to `to` (`sign` 1) or subtracts it (-1), in place. */
export function addPlanSums(to: PlanSums, other: PlanSums, sign: 1 | -1): void {
  to.doors += sign * other.doors;
  to.dueCount += sign * other.dueCount;
  to.dueCents += sign * other.dueCents;
  to.dueWaitingCents += sign * other.dueWaitingCents;
  for (const row of YEARLY_COST_ROWS)
    for (const [index, value] of other.years[row].entries()) to.years[row][index]! += sign * value;
}

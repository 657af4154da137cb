import { MAX_PLAN_YEARS } from "./renewals.ts";
import { emptyYearlyCosts, YEARLY_COST_ROWS, type YearlyCosts } from "./schedule.ts";

/** A `Years` as it is kept and written: whole cents, and the variance in whole square dollars. */
export type StoredYearlyCosts = Record<keyof YearlyCosts, number[]>;

/** What the plans of a property's or a portfolio's components add up to. Whole cents. */
export type PlanSums = {
  /** Units, at least one a property. */
  doors: number;
  /** Components due now. */
  dueCount: number;
  /** What replacing them as planned work costs. */
  dueCents: number;
  /** What waiting a year with them costs. */
  dueWaitingCents: number;
  /** As many years as a plan may have. */
  years: StoredYearlyCosts;
};

const SQUARE_CENTS = 10_000;

export const emptyPlanSums = (): PlanSums => ({
  ...{ doors: 0, dueCount: 0, dueCents: 0, dueWaitingCents: 0 },
  years: toStoredYearlyCosts(emptyYearlyCosts(MAX_PLAN_YEARS)),
});

/** The years in whole cents. Every figure that is shown is made of these, so that what is shown adds up. */
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

/** The first `count` years of the sums, for `capitalPlanOf`. */
export function firstYears(sums: StoredYearlyCosts, count: number): YearlyCosts {
  const head = (row: readonly number[], unit = 1) => Float64Array.from(row.slice(0, count), (n) => n * unit);
  return {
    planned: head(sums.planned),
    failures: head(sums.failures),
    runToFailure: head(sums.runToFailure),
    variance: head(sums.variance, SQUARE_CENTS),
  };
}

/** Adds (`sign` 1) or takes away (-1). */
export function addPlanSums(to: PlanSums, other: PlanSums, sign: 1 | -1): void {
  to.doors += sign * other.doors;
  to.dueCount += sign * other.dueCount;
  to.dueCents += sign * other.dueCents;
  to.dueWaitingCents += sign * other.dueWaitingCents;
  for (const row of YEARLY_COST_ROWS)
    for (const [index, value] of other.years[row].entries()) to.years[row][index]! += sign * value;
}

import { MOST_YEARS } from "./renewals.ts";
import { emptyYears, YEAR_ROWS, type Years } from "./schedule.ts";

/** A `Years` as it is kept and written: whole cents, and the variance in whole square dollars. */
export type YearSums = Record<keyof Years, number[]>;

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
  years: YearSums;
};

const SQUARE_CENTS = 10_000;

export const emptyPlanSums = (): PlanSums => ({
  ...{ doors: 0, dueCount: 0, dueCents: 0, dueWaitingCents: 0 },
  years: roundYears(emptyYears(MOST_YEARS)),
});

/** The years in whole cents. Every figure that is shown is made of these, so that what is shown adds up. */
export function roundYears({ planned, failures, runToFailure, variance }: Years): YearSums {
  return {
    planned: whole(planned),
    failures: whole(failures),
    runToFailure: whole(runToFailure),
    variance: whole(variance, SQUARE_CENTS),
  };
}

const whole = (row: Float64Array, unit = 1) => Array.from(row, (value) => Math.round(value / unit));

/** The first `count` years of the sums, for `capitalPlanOf`. */
export function yearsOf(sums: YearSums, count: number): Years {
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
  for (const row of YEAR_ROWS)
    for (const [index, value] of other.years[row].entries()) to.years[row][index]! += sign * value;
}

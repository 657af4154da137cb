import type { Advice } from "./advice.ts";
import type { Part } from "./part.ts";
import { convolvedAt, type NewPart } from "./renewals.ts";

/** Expected costs by year, in cents of today; index 0 is the coming year. */
export type YearlyCosts = {
  planned: Float64Array;
  failures: Float64Array;
  /** Failures if every part is run to failure. */
  runToFailure: Float64Array;
  /** Variance of planned and failures together, in square cents. */
  variance: Float64Array;
};

export const YEARLY_COST_ROWS = [
  "planned",
  "failures",
  "runToFailure",
  "variance",
] as const satisfies (keyof YearlyCosts)[];

/** Returns zero costs for a number of years. */
export function emptyYearlyCosts(years: number): YearlyCosts {
  const zeros = () => new Float64Array(years);
  return { planned: zeros(), failures: zeros(), runToFailure: zeros(), variance: zeros() };
}

/** Adds `other` to `to`, in place. */
export function addYearlyCosts(to: YearlyCosts, other: YearlyCosts): void {
  for (const row of YEARLY_COST_ROWS)
    for (let year = 0; year < to[row].length; year++) to[row][year]! += other[row][year]!;
}

/** Adds the expected costs of a part and all that follow it to `sums` (docs/model/planning.md#capital-schedule). */
export function addPart(sums: YearlyCosts, part: Part, { dueInYears }: Advice, newPart: NewPart): void {
  const years = sums.planned.length;
  const { plannedCents, failureCents } = part;
  const failing = failingByMonth(part, years * 12);
  const runToFailure = eventsByYear(failing.shares, failing.shares, newPart.failuresRunToFailure, years);
  let failures = runToFailure;
  if (dueInYears !== null) {
    const { failed, planned, ended } = endedWhenDue(failing, Math.ceil(12 * dueInYears));
    failures = eventsByYear(failed, ended, newPart.failures, years);
    const renewals = eventsByYear(planned, ended, newPart.planned, years);
    for (let year = 0; year < years; year++) {
      sums.planned[year]! += renewals[year]! * plannedCents;
      sums.variance[year]! += renewals[year]! * plannedCents ** 2;
    }
  }
  for (let year = 0; year < years; year++) {
    sums.failures[year]! += failures[year]! * failureCents;
    sums.variance[year]! += failures[year]! * failureCents ** 2;
    sums.runToFailure[year]! += runToFailure[year]! * failureCents;
  }
}

type Failing = {
  /** The probability that the part in place fails in each month; index 0 is 0. */
  shares: Float64Array;
  /** The probability that it works at the end of each month. */
  survival: Float64Array;
};

function failingByMonth({ shape, scaleYears, ageYears, hazardRatio }: Part, months: number): Failing {
  const shares = new Float64Array(months + 1);
  const survival = new Float64Array(months + 1);
  survival[0] = 1;
  const passed = (ageYears / scaleYears) ** shape;
  const age = ageYears / scaleYears;
  const step = 1 / 12 / scaleYears;
  // Once survival is 0, all later entries are 0.
  for (let month = 1; month <= months && survival[month - 1]! > 0; month++) {
    survival[month] = Math.exp(-hazardRatio * (power(age + month * step, shape) - passed));
    shares[month] = survival[month - 1]! - survival[month]!;
  }
  return { shares, survival };
}

/** Returns `base ** shape`. Most shapes are multiples of a half: a root and products take a third of the time of a power. */
function power(base: number, shape: number): number {
  if (shape % 0.5 !== 0) return base ** shape;
  let product = shape % 1 === 0 ? 1 : Math.sqrt(base);
  for (let n = 1; n <= shape; n++) product *= base;
  return product;
}

/**
 * Returns how the part in place ends if it is replaced at the end of month `due`, or in the first month if that is 0.
 * Plain loops take a fraction of the time of `set`, `map` and `findLastIndex` on arrays of this size.
 */
function endedWhenDue({ shares, survival }: Failing, due: number) {
  const failed = new Float64Array(shares.length);
  const ended = new Float64Array(shares.length);
  const planned = new Float64Array(shares.length);
  for (let month = 1; month <= due && month < shares.length; month++)
    ended[month] = failed[month] = shares[month]!;
  const month = Math.max(due, 1);
  if (month < planned.length) ended[month]! += planned[month] = due === 0 ? 1 : survival[due]!;
  return { failed, planned, ended };
}

/**
 * Returns the expected events by year. `own` are those of the part in place by month, `ended` the probability that it
 * ends in a month, and `newPart` the cumulative events of a new part since its installation.
 */
function eventsByYear(
  own: Float64Array,
  ended: Float64Array,
  newPart: Float64Array,
  years: number,
): Float64Array {
  const events = new Float64Array(years);
  let lastEnd = ended.length - 1;
  while (lastEnd > 0 && !(ended[lastEnd]! > 0)) lastEnd--;
  let ownSoFar = 0;
  let before = 0;
  for (let year = 1; year <= years; year++) {
    const last = year * 12;
    for (let month = last - 11; month <= last; month++) ownSoFar += own[month]!;
    const total = ownSoFar + convolvedAt(last, ended, newPart, Math.min(last, lastEnd));
    events[year - 1] = total - before;
    before = total;
  }
  return events;
}

import { convolutionAt } from "./renewals.ts";

/** Expected costs by year, in cents of today; index 0 is the coming year. */
export type YearlyCosts = {
  planned: Float64Array;
  failures: Float64Array;
  /** Repairs of the minor parts of whole units. */
  repairs: Float64Array;
  /** Failures and repairs if everything is run to failure. */
  runToFailure: Float64Array;
};

export const YEARLY_COST_ROWS = [
  "planned",
  "failures",
  "repairs",
  "runToFailure",
] as const satisfies (keyof YearlyCosts)[];

/** The schedule of a unit, or of a part that is replaced on its own. */
export type CostSchedule = YearlyCosts & {
  /** Expected cost of the first renewal, by year. Its square is what the certainty of one renewal takes off the variance. */
  firstRenewal: Float64Array;
  /** Expected square of what renewals cost, in square cents, by year. */
  squares: Float64Array;
};

/** Returns zero costs for a number of years. */
export function emptyYearlyCosts(years: number): YearlyCosts {
  const zeros = () => new Float64Array(years);
  return { planned: zeros(), failures: zeros(), repairs: zeros(), runToFailure: zeros() };
}

/** Returns an empty schedule of a number of years. */
export const emptySchedule = (years: number): CostSchedule => ({
  ...emptyYearlyCosts(years),
  firstRenewal: new Float64Array(years),
  squares: new Float64Array(years),
});

/** Adds `other` to `to`, in place. */
export function addYearlyCosts(to: YearlyCosts, other: YearlyCosts): void {
  for (const row of YEARLY_COST_ROWS)
    for (let year = 0; year < to[row].length; year++) to[row][year]! += other[row][year]!;
}

/** How the first of its place ends: the probabilities by month, index 0 being 0. */
type PartEnding = {
  failed: Float64Array;
  planned: Float64Array;
  /** Both together. */
  ended: Float64Array;
  /** The last month with a probability. */
  lastMonth: number;
};

/**
 * Returns how what is in place ends if it is replaced at the end of month `due`, or in the first month if that is 0; null
 * for run to failure. Plain loops take a fraction of the time of `set`, `map` and `findLastIndex` on arrays of this size.
 */
export function endOfPartInPlace(
  shares: Float64Array,
  survival: Float64Array,
  due: number | null,
): PartEnding {
  if (due === null)
    return {
      failed: shares,
      planned: new Float64Array(shares.length),
      ended: shares,
      lastMonth: lastOf(shares),
    };
  const failed = new Float64Array(shares.length);
  const planned = new Float64Array(shares.length);
  const ended = new Float64Array(shares.length);
  for (let month = 1; month <= due && month < shares.length; month++)
    ended[month] = failed[month] = shares[month]!;
  const month = Math.max(due, 1);
  if (month < planned.length) ended[month]! += planned[month] = due === 0 ? 1 : survival[due]!;
  return { failed, planned, ended, lastMonth: lastOf(ended) };
}

function lastOf(ended: Float64Array): number {
  let last = ended.length - 1;
  while (last > 0 && !(ended[last]! > 0)) last--;
  return last;
}

/** Returns the sums by year of monthly values. */
export function sumMonthsByYear(monthly: Float64Array, years: number): Float64Array {
  const sums = new Float64Array(years);
  for (let year = 0; year < years; year++) {
    let sum = 0;
    for (let month = 12 * year + 1; month <= 12 * year + 12; month++) sum += monthly[month]!;
    sums[year] = sum;
  }
  return sums;
}

/**
 * Returns by year the expected events or costs of all that follow the first of its place. `successor` has those of a new one
 * and all that follow it, from its installation to the end of each month.
 */
export function sumsOfSuccessorPartsByYear(
  { ended, lastMonth }: Pick<PartEnding, "ended" | "lastMonth">,
  successor: Float64Array,
  years: number,
): Float64Array {
  const sums = new Float64Array(years);
  let before = 0;
  for (let year = 1; year <= years; year++) {
    const month = 12 * year;
    const total = convolutionAt(month, ended, successor, Math.min(month, lastMonth));
    sums[year - 1] = total - before;
    before = total;
  }
  return sums;
}

/** Adds the capital costs of a unit or part: of the first renewal, and of all later ones. */
export function addRenewalCostsToSchedule(
  schedule: CostSchedule,
  end: PartEnding,
  later: { failures: Float64Array; planned: Float64Array },
  { plannedCents, failureCents }: { plannedCents: number; failureCents: number },
): void {
  const years = schedule.planned.length;
  const failed = sumMonthsByYear(end.failed, years);
  const planned = sumMonthsByYear(end.planned, years);
  const failedLater = sumsOfSuccessorPartsByYear(end, later.failures, years);
  const plannedLater = sumsOfSuccessorPartsByYear(end, later.planned, years);
  for (let year = 0; year < years; year++) {
    schedule.firstRenewal[year]! += failed[year]! * failureCents + planned[year]! * plannedCents;
    const failures = failed[year]! + failedLater[year]!;
    const renewals = planned[year]! + plannedLater[year]!;
    schedule.failures[year]! += failures * failureCents;
    schedule.planned[year]! += renewals * plannedCents;
    schedule.squares[year]! += failures * failureCents ** 2 + renewals * plannedCents ** 2;
  }
}

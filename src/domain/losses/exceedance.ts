import type { Steps } from "../steps/computation-steps.ts";
import type { SimulatedYearLosses } from "./simulated-year-losses.ts";

/** The return periods of an exceedance curve, in years. */
export const RETURN_PERIODS = [2, 5, 10, 20, 50, 100, 200] as const;

/** The batches of years from which a standard error is found. */
const BATCHES = 10;
/** The tail value at risk is the mean of one year in so many, the worst ones. */
const TAIL_YEARS = 100;

/** An amount of a year's losses, in cents: with the forecast as it is, and with its error. */
export type TailAmount = { amount: number; standardError: number; withModelError: number };
/** The annual loss exceeded once in `years` years on average. */
export type ExceedancePoint = TailAmount & { years: number };

/** The years of a loss in ascending order: all of them, and each batch. */
type SortedYears = { plain: Float64Array; withError: Float64Array; batches: readonly Float64Array[] };

/** Sorts simulated years, which takes a millisecond for each of the results. */
export function* sortSimulatedYears({ plain, withError }: SimulatedYearLosses): Steps<SortedYears> {
  const batches = batchesOf(plain);
  yield;
  const sorted = plain.toSorted();
  yield;
  return { plain: sorted, withError: withError.toSorted(), batches };
}

/** Returns the aggregate exceedance probability curve of simulated years. */
export function exceedanceCurve({
  plain: sorted,
  withError: sortedWithError,
  batches,
}: SortedYears): ExceedancePoint[] {
  return RETURN_PERIODS.map((years) => ({
    years,
    amount: exceededOnceIn(years, sorted),
    standardError: standardErrorOf(batches.map((batch) => exceededOnceIn(years, batch))),
    withModelError: exceededOnceIn(years, sortedWithError),
  }));
}

/** Returns the mean of the worst hundredth of the years. */
export function tailValueAtRisk({ plain, withError, batches }: SortedYears): TailAmount {
  return {
    amount: meanOfWorst(plain),
    standardError: standardErrorOf(batches.map(meanOfWorst)),
    withModelError: meanOfWorst(withError),
  };
}

const exceededOnceIn = (years: number, sorted: Float64Array) =>
  sorted[Math.ceil(sorted.length * (1 - 1 / years)) - 1]!;

function meanOfWorst(sorted: Float64Array): number {
  const worst = sorted.subarray(sorted.length - Math.max(1, Math.round(sorted.length / TAIL_YEARS)));
  return worst.reduce((sum, loss) => sum + loss, 0) / worst.length;
}

function batchesOf(losses: Float64Array): Float64Array[] {
  const size = Math.floor(losses.length / BATCHES);
  return Array.from({ length: BATCHES }, (_, batch) => losses.slice(batch * size, (batch + 1) * size).sort());
}

/** Returns the standard error of the mean of the batches' results. */
function standardErrorOf(results: readonly number[]): number {
  const mean = results.reduce((sum, result) => sum + result, 0) / results.length;
  const squares = results.reduce((sum, result) => sum + (result - mean) ** 2, 0);
  return Math.sqrt(squares / (results.length - 1) / results.length);
}

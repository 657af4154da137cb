import type { CostSchedule } from "./cost-schedule.ts";

/*
 * The variance of what renewals cost (docs/model/planning.md#level-deposit). The first renewal of a unit or part costs an
 * amount once, so the square of its expectation is taken off; later renewals count as Poisson. Amounts are weighted by
 * inflation and interest, which are known only to the request: so the products of all pairs of years are summed up.
 */

/** Returns the place of the product of two years, `first` ≤ `second`, in a list by the later year. */
const pairIndex = (first: number, second: number) => (second * (second + 1)) / 2 + first;

/** The number of pairs of so many years. */
export const yearPairCount = (years: number) => (years * (years + 1)) / 2;

/** The inputs of the variance, summed over units and parts. */
export type VarianceSums = {
  /** Expected squares of what renewals cost, by year, in square cents. */
  squares: Float64Array;
  /** Products of the expected costs of first renewals, by pairs of years, in square cents. */
  products: Float64Array;
};

export const emptyVarianceSums = (years: number): VarianceSums => ({
  squares: new Float64Array(years),
  products: new Float64Array(yearPairCount(years)),
});

/** Adds a unit or part, in place. */
export function addVarianceOfScheduledCosts(
  { squares, products }: VarianceSums,
  schedule: CostSchedule,
): void {
  const { firstRenewal } = schedule;
  let index = 0;
  for (let second = 0; second < squares.length; second++) {
    squares[second]! += schedule.squares[second]!;
    const expected = firstRenewal[second]!;
    for (let first = 0; first <= second; first++)
      products[index++]! += expected === 0 ? 0 : firstRenewal[first]! * expected;
  }
}

/**
 * Returns the variance of the costs up to the end of each year, compounded to that time. Rates are yearly shares.
 */
export function costVarianceByYear(
  { squares, products }: { squares: ArrayLike<number>; products: ArrayLike<number> },
  years: number,
  inflation: number,
  interest: number,
): number[] {
  const weights = Array.from(
    { length: years },
    (_, index) => (1 + inflation) ** index / (1 + interest) ** (index + 1),
  );
  let sum = 0;
  return weights.map((weight, last) => {
    sum += weight ** 2 * squares[last]!;
    for (let first = 0; first < last; first++)
      sum -= 2 * weights[first]! * weight * products[pairIndex(first, last)]!;
    sum -= weight ** 2 * products[pairIndex(last, last)]!;
    return sum * (1 + interest) ** (2 * (last + 1));
  });
}

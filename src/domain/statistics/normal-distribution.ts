/**
 * Returns the probability that a standard normal number is below x, with a relative error of about 1e-15 in both tails
 * (G. West, "Better approximations to cumulative normal functions", Wilmott Magazine, 2005, after J. F. Hart, 1968).
 */
export function normalProbability(x: number): number {
  const size = Math.abs(x);
  if (size > 37) return x > 0 ? 1 : 0;
  const density = Math.exp(-(size ** 2) / 2);
  const tail = density * (size < SERIES_END ? rationalPart(size) : continuedFraction(size));
  return x > 0 ? 1 - tail : tail;
}

const SERIES_END = 7.07106781186547;
const NUMERATOR = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const DENOMINATOR = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
];

const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

const rationalPart = (x: number) => polynomial(NUMERATOR, x) / polynomial(DENOMINATOR, x);

const continuedFraction = (x: number) =>
  1 / (x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))))) / 2.506628274631;

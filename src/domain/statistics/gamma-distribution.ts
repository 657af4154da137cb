/* The gamma function and the gamma distribution. */

const G = 7;
/** Lanczos coefficients for g = 7, n = 9 (P. Godfrey), accurate to 15 digits for positive arguments. */
const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;

/** Returns Γ(1 + x) for x ≥ 0. */
export const gammaOfOnePlus = (x: number) => Math.exp(logGammaOfOnePlus(x));

/** Returns ln Γ(1 + x) for x ≥ 0. */
function logGammaOfOnePlus(x: number): number {
  const series = COEFFICIENTS.reduce(
    (sum, coefficient, index) => sum + coefficient / (x + index + 1),
    0.9999999999998099,
  );
  const t = x + G + 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(series);
}

/**
 * Returns the amount that a gamma-distributed sum stays below with a probability; the mean itself without variance.
 * Relative precision 1e-10.
 */
export function gammaQuantile(probability: number, mean: number, variance: number): number {
  if (variance <= 0 || mean <= 0) return mean;
  const shape = mean ** 2 / variance;
  const scale = variance / mean;
  // By halves on the logarithm: quantiles of a small shape lie hundreds of orders of magnitude below the mean.
  let low = -LARGEST_EXPONENT;
  let high = Math.log(shape + 1 + 20 * Math.sqrt(shape + 1) + 40);
  while (high - low > 1e-11) {
    const middle = (low + high) / 2;
    if (lowerGammaShare(shape, middle) < probability) low = middle;
    else high = middle;
  }
  return scale * Math.exp((low + high) / 2);
}

const LARGEST_EXPONENT = 700;

/** Returns the regularized lower incomplete gamma function P(shape, x) at x = exp(logX). */
function lowerGammaShare(shape: number, logX: number): number {
  const x = Math.exp(logX);
  const front = Math.exp(shape * logX - x - (logGammaOfOnePlus(shape) - Math.log(shape)));
  if (x < shape + 1) {
    // The power series.
    let term = 1 / shape;
    let sum = term;
    for (let n = 1; term > sum * 1e-16; n++) {
      term *= x / (shape + n);
      sum += term;
    }
    return front * sum;
  }
  // The continued fraction, by Lentz's method.
  let b = x + 1 - shape;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 100_000; n++) {
    const a = n * (shape - n);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return 1 - front * fraction;
}

/*
 * The factor on a year's hazards that the components of one class in one census division share: gamma with mean 1.
 */

/** Below this variance the factor is 1. */
const NO_VARIANCE = 1e-9;
/** Enough for a relative error of 1e-9 in what is computed here. */
const NODES = 32;

/** The year's cumulative hazards are at most this probable to end in failure, so that they are finite. */
const HIGHEST_PROBABILITY = 1 - 1e-9;

/**
 * Returns the cumulative hazard λ of a year with the factor 1: with the factor Z a component fails with probability
 * 1 − exp(−λZ), whose mean over Z is `probability`.
 */
export function hazardFromYearProbability(probability: number, variance: number): number {
  const logSurvival = Math.log1p(-Math.min(probability, HIGHEST_PROBABILITY));
  return variance < NO_VARIANCE ? -logSurvival : Math.expm1(-variance * logSurvival) / variance;
}

/** Returns the mean of exp(−hazard · Z): the probability of surviving a year whose factor is unknown. */
export const survivalOverYearlyHazardFactor = (hazard: number, variance: number) =>
  variance < NO_VARIANCE ? Math.exp(-hazard) : Math.exp(-Math.log1p(hazard * variance) / variance);

/** Points and weights whose weighted sum is the mean over the factor. */
export type Quadrature = { points: Float64Array; weights: Float64Array };

/**
 * Returns the Gauss quadrature of the factor: the generalized Gauss–Laguerre rule, as the eigenvalues of its Jacobi matrix
 * (Golub and Welsch, Mathematics of Computation 23, 1969).
 */
export function yearlyHazardFactorQuadrature(variance: number): Quadrature {
  if (variance < NO_VARIANCE) return { points: Float64Array.of(1), weights: Float64Array.of(1) };
  const points = Float64Array.from({ length: NODES }, (_, k) => 1 + 2 * k * variance);
  const beside = Float64Array.from({ length: NODES }, (_, k) => {
    const next = k + 1;
    return k === NODES - 1 ? 0 : Math.sqrt(next * variance * (1 + k * variance));
  });
  const first = new Float64Array(NODES);
  first[0] = 1;
  diagonalize(points, beside, first);
  return { points, weights: first.map((component) => component ** 2) };
}

/**
 * Replaces the diagonal of a symmetric tridiagonal matrix by its eigenvalues, and `first` by the first components of the
 * eigenvectors (implicit QL with shifts; Press et al., "Numerical Recipes", section 11.4).
 */
function diagonalize(diagonal: Float64Array, beside: Float64Array, first: Float64Array): void {
  const count = diagonal.length;
  for (let from = 0; from < count; from++) {
    for (let to = smallEntry(diagonal, beside, from); to !== from; to = smallEntry(diagonal, beside, from)) {
      let g = (diagonal[from + 1]! - diagonal[from]!) / (2 * beside[from]!);
      let r = Math.hypot(g, 1);
      g = diagonal[to]! - diagonal[from]! + beside[from]! / (g + (g >= 0 ? r : -r));
      let [sine, cosine, shift] = [1, 1, 0];
      let at = to - 1;
      for (; at >= from; at--) {
        let f = sine * beside[at]!;
        const b = cosine * beside[at]!;
        r = Math.hypot(f, g);
        beside[at + 1] = r;
        if (r === 0) {
          diagonal[at + 1]! -= shift;
          beside[to] = 0;
          break;
        }
        sine = f / r;
        cosine = g / r;
        g = diagonal[at + 1]! - shift;
        r = (diagonal[at]! - g) * sine + 2 * cosine * b;
        shift = sine * r;
        diagonal[at + 1] = g + shift;
        g = cosine * r - b;
        f = first[at + 1]!;
        first[at + 1] = sine * first[at]! + cosine * f;
        first[at] = cosine * first[at]! - sine * f;
      }
      if (r === 0 && at >= from) continue;
      diagonal[from]! -= shift;
      beside[from] = g;
      beside[to] = 0;
    }
  }
}

function smallEntry(diagonal: Float64Array, beside: Float64Array, from: number): number {
  let at = from;
  for (; at < diagonal.length - 1; at++) {
    const size = Math.abs(diagonal[at]!) + Math.abs(diagonal[at + 1]!);
    if (Math.abs(beside[at]!) <= Number.EPSILON * size) break;
  }
  return at;
}

/* Two-parameter Weibull life (docs/model/scoring.md#life). Ages and scales are in years; `shape` is β, `scale` is η. */

/** Returns η of a life with this median. */
export function scaleFromMedian(median: number, shape: number): number {
  return median / Math.LN2 ** (1 / shape);
}

/** Returns the median of a life with this η. */
export function medianFromScale(scale: number, shape: number): number {
  return scale * Math.LN2 ** (1 / shape);
}

/** Returns F(age), the probability of having failed by that age. */
export function cumulativeProbability(age: number, scale: number, shape: number): number {
  return 0 - Math.expm1(-cumulativeHazard(age, scale, shape)); // 0 -, since a bare minus makes -0 of 0
}

/** Returns the age at which F is `probability`. */
export function ageAtProbability(probability: number, scale: number, shape: number): number {
  return ageAtHazard(-Math.log1p(-probability), scale, shape);
}

/** Returns the cumulative hazard H(age) = (age/η)^β. */
export function cumulativeHazard(age: number, scale: number, shape: number): number {
  return (age / scale) ** shape;
}

/** Returns the age at which the cumulative hazard is `hazard`. */
export function ageAtHazard(hazard: number, scale: number, shape: number): number {
  return scale * hazard ** (1 / shape);
}

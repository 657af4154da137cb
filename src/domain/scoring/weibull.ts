/** Two-parameter Weibull life. Ages and scales in years, `shape` is β, `scale` is η. */

/** η of the life whose median is given. */
export function scaleFromMedian(median: number, shape: number): number {
  return median / Math.LN2 ** (1 / shape);
}

/** The median of the life whose η is given. */
export function medianFromScale(scale: number, shape: number): number {
  return scale * Math.LN2 ** (1 / shape);
}

/** F(age): the share that has failed by that age. */
export function cumulativeProbability(age: number, scale: number, shape: number): number {
  return 0 - Math.expm1(-cumulativeHazard(age, scale, shape)); // 0 -, since a bare minus makes -0 of 0
}

/** The age by which the share `probability` has failed. */
export function ageAtProbability(probability: number, scale: number, shape: number): number {
  return ageAtHazard(-Math.log1p(-probability), scale, shape);
}

/** H(age) = (age/η)^β. */
export function cumulativeHazard(age: number, scale: number, shape: number): number {
  return (age / scale) ** shape;
}

export function ageAtHazard(hazard: number, scale: number, shape: number): number {
  return scale * hazard ** (1 / shape);
}

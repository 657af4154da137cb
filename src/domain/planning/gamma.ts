const G = 7;
/** Lanczos coefficients for g = 7, n = 9 (P. Godfrey), accurate to 15 digits for positive arguments. */
const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;

/** Returns Γ(1 + x) for x ≥ 0. */
export function gammaOfOnePlus(x: number): number {
  const series = COEFFICIENTS.reduce(
    (sum, coefficient, index) => sum + coefficient / (x + index + 1),
    0.9999999999998099,
  );
  const t = x + G + 0.5;
  return Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * series;
}

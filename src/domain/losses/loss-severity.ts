import type { Peril } from "../domain-knowledge.ts";
import { normalProbability } from "../statistics/normal-distribution.ts";

/**
 * The cost of one damage, log-normal, with its mean in cents and its coefficient of variation. A failure does one damage at
 * most, or several, a Poisson number of them.
 */
export type DamageSeverity = { peril: Peril; mean: number; variation: number; isPoisson: boolean };

/** The deductible and limit of an occurrence, in cents: damage above the deductible is insured up to the limit. */
export type InsuredLayer = { deductible: number; limit: number | null };

/** The first two moments of an amount, in cents and cents squared. */
export type Moments = { mean: number; square: number };

/** Returns the scale and the shape of the logarithm of a damage. */
export function logNormalParameters({ mean, variation }: DamageSeverity): { mu: number; sigma: number } {
  const variance = Math.log1p(variation ** 2);
  return { mu: Math.log(mean) - variance / 2, sigma: Math.sqrt(variance) };
}

/** Returns the probability that a damage costs more than the amount. */
export function exceedanceProbability(severity: DamageSeverity, amount: number): number {
  if (amount <= 0) return 1;
  const { mu, sigma } = logNormalParameters(severity);
  if (sigma === 0) return severity.mean > amount ? 1 : 0;
  return normalProbability((mu - Math.log(amount)) / sigma);
}

/** Returns the moments of a damage. */
export const damageMoments = ({ mean, variation }: DamageSeverity): Moments => ({
  mean,
  square: mean ** 2 * (1 + variation ** 2),
});

/**
 * Returns the moments of the insured part of a damage, from the partial moments of the log-normal distribution (Klugman,
 * Panjer and Willmot, "Loss Models", 4th edition, 2012, appendix A).
 */
export function insuredMoments(severity: DamageSeverity, { deductible, limit }: InsuredLayer): Moments {
  // The logarithm of nothing is infinite.
  if (severity.mean === 0) return { mean: 0, square: 0 };
  const { mu, sigma } = logNormalParameters(severity);
  if (sigma === 0) {
    const insured = Math.min(Math.max(severity.mean - deductible, 0), limit ?? Number.POSITIVE_INFINITY);
    return { mean: insured, square: insured ** 2 };
  }
  /** The share of a moment that damages between the deductible and the top of the layer have. */
  const within = (order: number) => {
    const above = (amount: number) => normalProbability((mu - Math.log(amount)) / sigma + order * sigma);
    const fromDeductible = deductible === 0 ? 1 : above(deductible);
    const beyond = limit === null ? 0 : above(deductible + limit);
    return Math.exp(order * mu + (order * sigma) ** 2 / 2) * (fromDeductible - beyond);
  };
  const [zeroth, first, second] = [within(0), within(1), within(2)];
  const beyond = limit === null ? 0 : exceedanceProbability(severity, deductible + limit);
  const top = limit ?? 0;
  const mean = first - deductible * zeroth + top * beyond;
  const square = second - 2 * deductible * first + deductible ** 2 * zeroth + top ** 2 * beyond;
  // Far in a tail, and in a thin layer of a large damage, rounding errors of the differences exceed what is left.
  const most = limit ?? Number.POSITIVE_INFINITY;
  const possible = Math.min(Math.max(mean, 0), most);
  return { mean: possible, square: Math.min(Math.max(square, possible ** 2), most ** 2) };
}

/**
 * Sets the moments of the damages of one failure: one with the probability `frequency`, or a Poisson number with that mean.
 */
export function setMomentsOfFailure(
  moments: Moments,
  frequency: number,
  each: Moments,
  isPoisson: boolean,
): void {
  const mean = frequency * each.mean;
  moments.mean = mean;
  moments.square = frequency * each.square + (isPoisson ? mean * mean : 0);
}

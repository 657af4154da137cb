import { logGamma } from "./log-gamma.ts";

/*
 * Counts of events whose rate varies: given a gamma factor with mean 1 and variance v they are Poisson, so that they have the
 * mean m and the variance m + v·m² (M. Greenwood and G. U. Yule, Journal of the Royal Statistical Society 83, 1920).
 */

/** The rate is taken as fixed below this variance of the factor. */
const NO_VARIANCE = 1e-12;
/**
 * The range around the mean, in standard deviations, beyond which at most 2% of a distribution lie on either side (Cantelli's
 * inequality). A sum that begins farther below would begin with a probability that no number can hold.
 */
const REACH = 8;

type CountDistribution = { mean: number; factorVariance: number };

/** Returns the logarithm of the probability of a count; the mean is above 0. */
export function logProbabilityOfCount(count: number, { mean, factorVariance }: CountDistribution): number {
  if (factorVariance < NO_VARIANCE) return count * Math.log(mean) - mean - logGamma(count + 1);
  const shape = 1 / factorVariance;
  return (
    logGamma(shape + count) -
    logGamma(shape) -
    logGamma(count + 1) -
    shape * Math.log1p(mean / shape) +
    count * Math.log(mean / (shape + mean))
  );
}

/** Returns the least counts that the distribution does not exceed with the probabilities `low` and `high`. */
export function countDistributionInterval(
  count: CountDistribution,
  [low, high]: readonly [number, number],
): [number, number] {
  const { mean, factorVariance } = count;
  if (mean <= 0) return [0, 0];
  const deviation = Math.sqrt(mean + factorVariance * mean ** 2);
  let at = Math.max(0, Math.floor(mean - REACH * deviation));
  let probability = Math.exp(logProbabilityOfCount(at, count));
  let sum = probability;
  let lower: number | undefined;
  for (; ; at++) {
    if (sum >= low) lower ??= at;
    if (sum >= high || at > mean + REACH * deviation) return [lower ?? at, at];
    // The ratio of two successive probabilities.
    const ratio =
      factorVariance < NO_VARIANCE ? mean : (mean * (1 + factorVariance * at)) / (1 + factorVariance * mean);
    probability *= ratio / (at + 1);
    sum += probability;
  }
}

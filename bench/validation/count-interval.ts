export type Interval = { low: number; high: number };

const TAIL = 0.05;

/**
 * Returns the 90% interval of a count with this mean and variance: negative binomial, or Poisson where the variance is no
 * larger than the mean.
 */
export function countInterval(mean: number, variance: number): Interval {
  const probabilities = variance > mean * (1 + 1e-9) ? negativeBinomial(mean, variance) : poisson(mean);
  let [cumulative, low] = [0, -1];
  for (let count = 0; ; count++) {
    cumulative += probabilities(count);
    if (low < 0 && cumulative >= TAIL) low = count;
    if (cumulative >= 1 - TAIL || count > mean + 100 * Math.sqrt(variance)) return { low, high: count };
  }
}

function poisson(mean: number): (count: number) => number {
  let logProbability = -mean;
  return (count) => {
    if (count > 0) logProbability += Math.log(mean / count);
    return Math.exp(logProbability);
  };
}

function negativeBinomial(mean: number, variance: number): (count: number) => number {
  const size = mean ** 2 / (variance - mean);
  const share = mean / variance;
  let logProbability = size * Math.log(share);
  return (count) => {
    if (count > 0) logProbability += Math.log(((size + count - 1) / count) * (1 - share));
    return Math.exp(logProbability);
  };
}

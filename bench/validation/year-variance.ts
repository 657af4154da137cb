/** A year's failures, and those that fitted lives expect. */
export type YearCount = { failures: number; expected: number };

const PRIOR = 0.04;

/** Returns the v that maximizes the negative binomial likelihood of the years with ln v ~ N(ln 0.04, 1). */
export function fitYearVariance(years: readonly YearCount[]): number {
  const posterior = (log: number) => {
    const v = Math.exp(log);
    let sum = -((log - Math.log(PRIOR)) ** 2) / 2;
    for (const { failures, expected } of years) {
      for (let i = 0; i < failures; i++) sum += Math.log1p(i * v);
      sum -= (failures + 1 / v) * Math.log1p(v * expected);
      sum += failures * Math.log(expected);
    }
    return sum;
  };
  let [low, high] = [Math.log(1e-5), Math.log(3)];
  while (high - low > 1e-9) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (posterior(a) < posterior(b)) low = a;
    else high = b;
  }
  return Math.exp((low + high) / 2);
}

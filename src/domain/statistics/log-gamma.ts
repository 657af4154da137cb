/** Arguments are raised to this before Stirling's series, whose error is then below 1e-14. */
const LEAST = 12;

/** Returns lnΓ(x) for x > 0. */
export function logGamma(x: number): number {
  let [at, product] = [x, 1];
  for (; at < LEAST; at++) product *= at;
  const inverse = 1 / at;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}

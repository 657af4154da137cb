import { expect, test } from "bun:test";
import fc from "fast-check";
import { gammaOfOnePlus, gammaQuantile } from "../../../src/domain/statistics/gamma-distribution.ts";

test("a quantile of an exponential distribution is its logarithm", () => {
  // Shape 1: mean² = variance.
  for (const p of [0.1, 0.5, 0.9, 0.999]) expect(gammaQuantile(p, 3, 9)).toBeCloseTo(-3 * Math.log1p(-p), 8);
});

test("quantiles agree with published ones of the chi-squared distribution", () => {
  // Chi-squared with k degrees of freedom has mean k and variance 2k (Abramowitz and Stegun, table 26.8).
  expect(gammaQuantile(0.9, 1, 2)).toBeCloseTo(2.70554, 5);
  expect(gammaQuantile(0.1, 10, 20)).toBeCloseTo(4.86518, 5);
  expect(gammaQuantile(0.95, 30, 60)).toBeCloseTo(43.773, 3);
  expect(gammaQuantile(0.9, 100, 200)).toBeCloseTo(118.498, 3);
});

test("a quantile rises with its probability, from tiny shapes to large ones", () => {
  const shape = fc.double({ min: -4, max: 5, noNaN: true }).map((exponent) => 10 ** exponent);
  fc.assert(
    fc.property(shape, fc.double({ min: 0.001, max: 0.99, noNaN: true }), (k, p) => {
      const at = (probability: number) => gammaQuantile(probability, 1000, 1000 ** 2 / k);
      expect(at(p)).toBeGreaterThanOrEqual(0);
      expect(at(p + 0.005)).toBeGreaterThanOrEqual(at(p));
    }),
  );
});

test("without variance every quantile is the mean", () => {
  expect(gammaQuantile(0.9, 500, 0)).toBe(500);
  expect(gammaQuantile(0.1, 0, 0)).toBe(0);
});

test("the gamma function of whole numbers is a factorial", () => {
  for (const [n, factorial] of [
    [0, 1],
    [4, 24],
    [10, 3_628_800],
  ] as const)
    expect(gammaOfOnePlus(n) / factorial).toBeCloseTo(1, 12);
});

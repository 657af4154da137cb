import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  addVarianceOfScheduledCosts,
  costVarianceByYear,
  emptyVarianceSums,
} from "../../../src/domain/planning/cost-variance.ts";
import { dearPart, worn, yearsOf } from "./parts.ts";

test("what is certain adds nothing to the variance", () => {
  // Due now and new for decades: one payment in the first month, then next to nothing.
  const { sums } = yearsOf([{ ...worn, scaleYears: 2_000, fixedLifeYears: 100, labelAgeYears: 101 }], 3);
  const variance = costVarianceByYear(sums, 3, 0.03, 0.02);
  expect(sums.planned[0]).toBeCloseTo(worn.plannedCents, 6);
  for (const one of variance) expect(Math.abs(one)).toBeLessThan(1e-4 * worn.plannedCents ** 2);
});

test("is that of one renewal for the first, and of a Poisson number of later ones", () => {
  const firstRenewal = Float64Array.of(30, 50, 0);
  const squares = Float64Array.of(3_000, 5_000, 700);
  const sums = emptyVarianceSums(3);
  addVarianceOfScheduledCosts(sums, {
    firstRenewal,
    squares,
    planned: firstRenewal,
    failures: firstRenewal,
    repairs: firstRenewal,
    runToFailure: firstRenewal,
  });
  const [inflation, interest] = [0.1, 0.05];
  const expected = [1, 2, 3].map((last) => {
    let [square, mean] = [0, 0];
    for (let year = 1; year <= last; year++) {
      const factor = (1 + inflation) ** (year - 1) * (1 + interest) ** (last - year);
      square += factor ** 2 * squares[year - 1]!;
      mean += factor * firstRenewal[year - 1]!;
    }
    return square - mean ** 2;
  });
  const found = costVarianceByYear(sums, 3, inflation, interest);
  for (const [year, variance] of expected.entries()) expect(found[year]! / variance).toBeCloseTo(1, 9);
});

test("is never negative, and does not depend on the number of years that were summed up", () => {
  fc.assert(
    fc.property(fc.array(dearPart, { minLength: 1, maxLength: 4 }), (parts) => {
      const long = costVarianceByYear(yearsOf(parts, 30).sums, 12, 0.03, 0);
      const short = costVarianceByYear(yearsOf(parts, 12).sums, 12, 0.03, 0);
      const scale = Math.max(...parts.map(({ failureCents }) => failureCents)) ** 2;
      for (let year = 0; year < 12; year++) {
        expect(long[year]!).toBeGreaterThan(-1e-6 * scale);
        expect(Math.abs(long[year]! - short[year]!)).toBeLessThan(1e-6 * scale);
      }
    }),
    { numRuns: 20 },
  );
});

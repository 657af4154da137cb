import { expect, test } from "bun:test";
import fc from "fast-check";
import { afterWarmUp, growthOf, growthOfPeaks, type Point, warmUpOf } from "./growth.ts";

const series = (value: (nth: number) => number): Point[] =>
  Array.from({ length: 100 }, (_, nth) => ({ at: nth * 5, value: value(nth) }));

test("a value that varies without a trend does not grow", () => {
  expect(Math.abs(growthOf(series((nth) => 100 + ((nth * 7919) % 13)))!)).toBeLessThan(0.02);
});

test("a steady trend is found, whatever its size and unit", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
      fc.integer({ min: 1, max: 40 }),
      (start, percent) => {
        const growth = growthOf(series((nth) => start * (1 + (percent / 100) * (nth / 99))))!;
        expect(growth * (1 + percent / 200)).toBeCloseTo(percent / 100, 6);
      },
    ),
  );
});

test("a few wrong values at the end are no trend, and hide none", () => {
  const spike = (nth: number) => (nth > 90 ? 10 : 1);
  expect(Math.abs(growthOf(series((nth) => spike(nth) * (100 + (nth % 3))))!)).toBeLessThan(0.02);
  expect(growthOf(series((nth) => (nth > 90 ? 0 : 100 + nth / 5)))!).toBeGreaterThan(0.1);
});

test("a size that is cleaned up now and then grows by its peaks alone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 11 }), fc.integer({ min: 0, max: 11 }), (period, phase) => {
      const saw = (nth: number) => 100 + ((nth + phase) % period) * 5;
      expect(growthOfPeaks(series(saw))).toBe(0);
      expect(growthOfPeaks(series((nth) => saw(nth) + nth / 5))!).toBeGreaterThan(0.05);
    }),
  );
  expect(growthOfPeaks(series((nth) => nth).slice(0, 15))).toBeUndefined();
});

test("the warm-up is left out", () => {
  const filled = series((nth) => Math.min(nth, 25));
  expect(growthOf(afterWarmUp(filled, 500))).toBe(0);
  expect([500, 1200, 3600, 86_400].map(warmUpOf)).toEqual([250, 600, 600, 8640]);
});

test("a few points are no trend", () => {
  expect(growthOf(series((nth) => nth).slice(0, 7))).toBeUndefined();
});

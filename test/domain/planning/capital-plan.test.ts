import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { capitalPlanOf } from "../../../src/domain/planning/capital-plan.ts";
import { emptyYearlyCosts, type YearlyCosts } from "../../../src/domain/planning/schedule.ts";

const row = (...values: number[]) => Float64Array.from(values);
const sums: YearlyCosts = {
  planned: row(10_000, 0, 0),
  failures: row(2_000, 3_000, 9_000),
  runToFailure: row(8_000, 8_000, 8_000),
  variance: row(4e6, 5e6, 16e6),
};
const cents = fc.double({ min: 0, max: 1e7, noNaN: true });
const anySums = fc.array(fc.tuple(cents, cents), { minLength: 1, maxLength: 30 }).map((years) => ({
  planned: Float64Array.from(years, ([planned]) => planned),
  failures: Float64Array.from(years, ([, failures]) => failures),
  runToFailure: Float64Array.from(years, ([, failures]) => 2 * failures),
  variance: Float64Array.from(years, ([, failures]) => failures * 10_000),
}));

describe("a capital plan", () => {
  test("inflates the costs of each year, with the first year in today's money", () => {
    const { schedule, totals } = capitalPlanOf(sums, 0.1);
    expect(schedule.map((year) => [year.year, year.totalCents, year.inflatedCents])).toEqual([
      [1, 12_000, 12_000],
      [2, 3_000, 3_300],
      [3, 9_000, 10_890],
    ]);
    expect(totals.plannedCents).toBe(24_000);
    expect(totals.plannedInflatedCents).toBe(26_190);
    expect(totals.runToFailureCents).toBe(24_000);
    expect(totals.runToFailureInflatedCents).toBe(26_480);
  });

  test("has a deposit of the largest yearly share of the need up to any year", () => {
    const { levelDeposit } = capitalPlanOf(sums, 0);
    expect(levelDeposit[50]).toBe(12_000); // the first year alone
    expect(levelDeposit[80]).toBeCloseTo(12_000 + 0.841621 * 2_000, 9);
    expect(capitalPlanOf({ ...sums, planned: row(0, 0, 0) }, 0).levelDeposit[50]).toBeCloseTo(14_000 / 3, 9);
  });

  // Rule: plan-deposit
  test("has a level deposit that keeps an initially empty reserve from falling below zero", () => {
    fc.assert(
      fc.property(anySums, fc.double({ min: 0, max: 0.15, noNaN: true }), (years, inflation) => {
        const { schedule, levelDeposit } = capitalPlanOf(years, inflation);
        let reserve = 0;
        let least = Infinity;
        for (const { inflatedCents } of schedule) {
          reserve += levelDeposit[50] - inflatedCents;
          least = Math.min(least, reserve);
        }
        expect(least).toBeGreaterThanOrEqual(-1e-6 * (1 + levelDeposit[50]));
        expect(least).toBeLessThanOrEqual(1e-6 * (1 + levelDeposit[50])); // and no cent more than that
        expect(levelDeposit[80]).toBeGreaterThanOrEqual(levelDeposit[50]);
        expect(levelDeposit[95]).toBeGreaterThanOrEqual(levelDeposit[80]);
      }),
    );
  });

  test("of no costs is zero", () => {
    expect(capitalPlanOf(emptyYearlyCosts(2), 0.03)).toEqual({
      schedule: [1, 2].map((year) => ({
        year,
        plannedCents: 0,
        failureCents: 0,
        totalCents: 0,
        runToFailureCents: 0,
        inflatedCents: 0,
      })),
      totals: {
        plannedCents: 0,
        plannedInflatedCents: 0,
        runToFailureCents: 0,
        runToFailureInflatedCents: 0,
      },
      levelDeposit: { 50: 0, 80: 0, 95: 0 },
    });
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LifeOnRecord } from "../../../src/domain/calibration/calibration-life.ts";
import { expectedFailuresOfLife } from "../../../src/domain/calibration/expected-failures.ts";
import {
  countFailuresByYearInSteps,
  type FailureYear,
} from "../../../src/domain/calibration/failure-years.ts";
import { fitModelInSteps } from "../../../src/domain/calibration/fit-model-in-steps.ts";
import {
  fitSharedCausesInSteps,
  learnedYearFactorVariance,
} from "../../../src/domain/calibration/shared-causes.ts";
import {
  countDistributionInterval,
  logProbabilityOfCount,
} from "../../../src/domain/statistics/negative-binomial-distribution.ts";
import { RandomVariates } from "../../../src/domain/statistics/random-variates.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { knowledge } from "../scoring/histories.ts";
import { expected, goldenFleet, livesOf } from "./fleet.ts";

const fleet = livesOf(goldenFleet(), expected.as_of);
const fit = runSteps(fitModelInSteps(knowledge, fleet));
const cellsOf = (lives: readonly LifeOnRecord[], asOf = expected.as_of) =>
  runSteps(countFailuresByYearInSteps(lives, fit.corrections, asOf));

/** Counts of plumbing failures whose yearly factor has the variance. */
function countsWith(
  variance: number,
  { years = 30, divisions = 2, mean = 80, seed = 1 } = {},
): FailureYear[] {
  const random = new RandomVariates(seed);
  return Array.from({ length: years * divisions }, (_, n) => {
    const rate = mean * (variance > 0 ? random.gamma(1 / variance) * variance : 1);
    let failures = 0;
    for (let at = random.exponential(); at < rate; at += random.exponential()) failures++;
    const [year, division] = [1990 + (n % years), `division ${Math.floor(n / years)}`];
    return { system: "plumbing", division, year, failures, expected: mean };
  });
}

// Rule: calibration-shared-causes
describe("the failures of a calendar year", () => {
  test("add up over the years to what the fit expects of a life, and to its failures", () => {
    const from = Date.UTC(2021, 0, 1) / 86_400_000;
    // One division has no plumbing on record before the middle of a year.
    const within = fleet.filter(
      (life) => life.from >= from && life.until < from + 5 * 365 && life.division !== "west_south_central",
    );
    expect(within.filter(({ failed }) => failed).length).toBeGreaterThan(20);
    const others = fleet.filter((life) => !within.includes(life));
    const sum = (cells: readonly FailureYear[], of: "expected" | "failures") =>
      cells.reduce((total, cell) => total + cell[of], 0);
    const [all, rest] = [cellsOf(fleet), cellsOf(others)];
    const hazards = within.reduce((total, life) => {
      const correction = Math.log(fit.corrections.lifeFactors.get(life.defId)!);
      const frailty = fit.corrections.frailties.get(life.applianceId) ?? 1;
      return total + frailty * expectedFailuresOfLife(life, life.accrued, correction);
    }, 0);
    expect(sum(all, "expected") - sum(rest, "expected")).toBeCloseTo(hazards, 6);
    expect(sum(all, "failures") - sum(rest, "failures")).toBe(within.filter(({ failed }) => failed).length);
  });

  test("are those of whole years on record alone", () => {
    const years = [...new Set(cellsOf(fleet).map(({ year }) => year))].sort();
    const begins = Math.min(...fleet.map(({ from }) => from));
    expect(Date.UTC(years[0]!, 0, 1) / 86_400_000).toBeGreaterThanOrEqual(begins);
    expect(years.at(-1)).toBe(2025);
    expect(cellsOf(livesOf(goldenFleet(), "2025-12-31"), "2025-12-31").at(-1)!.year).toBe(2025);
    expect(cellsOf(livesOf(goldenFleet(), "2025-12-30"), "2025-12-30").at(-1)!.year).toBe(2024);
  });

  test("do not depend on the order of the lives", () => {
    expect(cellsOf(fleet.toReversed())).toEqual(cellsOf(fleet));
  });
});

// Rule: calibration-shared-causes
describe("the variance of a year factor", () => {
  test("is that of the simulated years", () => {
    for (const variance of [0.01, 0.04, 0.15]) {
      const learned = learnedYearFactorVariance(
        countsWith(variance, { years: 40, divisions: 9, mean: 400 }),
        0.04,
      )!;
      expect(Math.abs(Math.log(learned / variance))).toBeLessThan(0.2);
    }
  });

  test("is the one with the highest posterior, as a fine grid finds it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.constantFrom(0.005, 0.05, 0.3), (seed, variance) => {
        const cells = countsWith(variance, { years: 8, divisions: 1, mean: 20, seed });
        const learned = learnedYearFactorVariance(cells, 0.04)!;
        const logPosterior = (v: number) =>
          cells.reduce(
            (sum, { failures, expected: mean }) =>
              sum + logProbabilityOfCount(failures, { mean, factorVariance: v }),
            -(Math.log(v / 0.04) ** 2) / 2,
          );
        const highest = Math.max(
          ...Array.from({ length: 801 }, (_, n) => logPosterior(0.04 * Math.exp(-4 + n / 100))),
        );
        expect(logPosterior(learned)).toBeGreaterThan(highest - 1e-9);
      }),
      { numRuns: 20 },
    );
  });

  test("stays that of the knowledge base with fewer than five years or 50 failures", () => {
    expect(learnedYearFactorVariance(countsWith(0.04, { years: 4, divisions: 9 }), 0.04)).toBeUndefined();
    expect(
      learnedYearFactorVariance(countsWith(0, { years: 7, divisions: 1, mean: 4 }), 0.04),
    ).toBeUndefined();
    expect(learnedYearFactorVariance(countsWith(0.04, { years: 5, divisions: 1 }), 0.04)).toBeDefined();
  });

  test("moves little with little data, and farther with more", () => {
    const [few, many] = [5, 40].map(
      (years) => learnedYearFactorVariance(countsWith(0.3, { years, divisions: 1 }), 0.04)!,
    );
    expect(few!).toBeGreaterThan(0.04);
    expect(Math.abs(Math.log(many! / 0.3))).toBeLessThan(Math.abs(Math.log(0.04 / 0.3)));
  });
});

// Rule: calibration-shared-causes
describe("the proof of shared causes", () => {
  test("has fewer years outside their interval once the variance is learned from the other years", () => {
    const cells = countsWith(0.3, { years: 40, divisions: 1 });
    const { classes, years, outside } = runSteps(fitSharedCausesInSteps(knowledge, cells));
    const plumbing = classes.find(({ system }) => system === "plumbing")!;
    expect(plumbing).toMatchObject({ isLearned: true, years: 40, bookVariance: 0.04, outside });
    expect(outside.before).toBeGreaterThan(10);
    expect(outside.after).toBeLessThan(10);
    expect(years).toHaveLength(40);
    for (const other of classes.filter(({ system }) => system !== "plumbing"))
      expect(other).toMatchObject({ isLearned: false, years: 0, variance: other.bookVariance });
  });

  test("compares a year with what the others say, never with itself", () => {
    const cells = countsWith(0.04, { years: 12, divisions: 1 });
    cells[3] = { ...cells[3]!, failures: 400 };
    const { years } = runSteps(fitSharedCausesInSteps(knowledge, cells));
    const without = learnedYearFactorVariance(cells.toSpliced(3, 1), 0.04)!;
    expect(years[3]!.intervals.after).toEqual(
      countDistributionInterval({ mean: 80, factorVariance: without }, [0.05, 0.95]),
    );
  });

  test("agrees with an independent implementation for the example fleet", () => {
    const { classes, years } = runSteps(fitSharedCausesInSteps(knowledge, cellsOf(fleet)));
    const learned = classes.filter(({ isLearned }) => isLearned);
    expect(learned.map(({ system, failures }) => [system, failures])).toEqual([
      ["hvac", 74],
      ["plumbing", 125],
      ["appliance", 151],
    ]);
    for (const [at, [sum, variance]] of [
      [73.2927, 0.038595],
      [112.9416, 0.029311],
      [148.2075, 0.010636],
    ].entries()) {
      expect(learned[at]!.expected).toBeCloseTo(sum!, 3);
      expect(learned[at]!.variance).toBeCloseTo(variance!, 5);
    }
    expect(years.map(({ year, failures, intervals }) => [year, failures, ...intervals.after])).toEqual([
      [2017, 43, 40, 64],
      [2018, 59, 37, 60],
      [2019, 50, 33, 56],
      [2020, 55, 34, 56],
      [2021, 46, 34, 57],
      [2022, 41, 37, 60],
      [2023, 46, 41, 66],
      [2024, 52, 41, 65],
      [2025, 49, 41, 65],
    ]);
    for (const { intervals } of years) expect(intervals.before).toEqual(intervals.after);
  });

  test("says nothing of a record without a whole year", () => {
    expect(runSteps(fitSharedCausesInSteps(knowledge, []))).toMatchObject({
      years: [],
      outside: { before: 0, after: 0 },
    });
  });
});

describe("a negative binomial count", () => {
  test("has probabilities that add up to 1, with its mean and variance", () => {
    for (const [mean, factorVariance] of [
      [3, 0.3],
      [40, 0.04],
      [7, 0],
    ] as const) {
      let [sum, first, second] = [0, 0, 0];
      for (let count = 0; count < 1000; count++) {
        const probability = Math.exp(logProbabilityOfCount(count, { mean, factorVariance }));
        sum += probability;
        first += probability * count;
        second += probability * count ** 2;
      }
      expect(sum).toBeCloseTo(1, 9);
      expect(first).toBeCloseTo(mean, 7);
      expect(second - first ** 2).toBeCloseTo(mean + factorVariance * mean ** 2, 6);
    }
  });

  test("lies within its interval with the stated probability", () => {
    for (const count of [
      { mean: 12.5, factorVariance: 0.1 },
      { mean: 90_000, factorVariance: 0.0004 },
      // Its least counts are too improbable for a number.
      { mean: 50_000, factorVariance: 0.0055 },
      { mean: 0.01, factorVariance: 0 },
    ]) {
      const [low, high] = countDistributionInterval(count, [0.05, 0.95]);
      let below = 0;
      for (let at = 0; at < low; at++) below += Math.exp(logProbabilityOfCount(at, count));
      let within = below;
      for (let at = low; at < high; at++) within += Math.exp(logProbabilityOfCount(at, count));
      expect(below).toBeLessThan(0.05);
      expect(below + Math.exp(logProbabilityOfCount(low, count))).toBeGreaterThanOrEqual(0.05 - 1e-9);
      expect(within).toBeLessThan(0.95);
      expect(within + Math.exp(logProbabilityOfCount(high, count))).toBeGreaterThanOrEqual(0.95 - 1e-9);
    }
  });
});

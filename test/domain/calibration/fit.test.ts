import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type EvidenceRow,
  fitEvidenceStrengthInSteps,
} from "../../../src/domain/calibration/fit-evidence-strength.ts";
import {
  estimateFrailty,
  fitFrailtyShapeInSteps,
  fitLifeCorrection,
} from "../../../src/domain/calibration/fit-lives.ts";
import { fitModelInSteps } from "../../../src/domain/calibration/fit-model-in-steps.ts";
import type { PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import { ReproducibleSum } from "../../../src/domain/statistics/reproducible-sum.ts";
import { seededRandom } from "../../../src/domain/statistics/seeded-random.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { knowledge } from "../scoring/histories.ts";
import { expected, goldenFleet, livesOf } from "./fleet.ts";

/** Finds the maximum on an interval by ever finer grids, down to the precision of the function. */
function bruteMaximum(f: (x: number) => number, low: number, high: number): number {
  let [from, to] = [low, high];
  let best = { x: low, value: Number.NEGATIVE_INFINITY };
  while (to - from > 1e-8) {
    const step = (to - from) / 200;
    for (let i = 0; i <= 200; i++) {
      const x = Math.min(high, from + i * step);
      const value = f(x);
      if (value > best.value) best = { x, value };
    }
    [from, to] = [Math.max(low, best.x - 2 * step), Math.min(high, best.x + 2 * step)];
  }
  return best.x;
}

/** Returns lnΓ by Stirling's series, shifted to large arguments. */
function logGamma(x: number): number {
  let [value, at] = [0, x];
  for (; at < 20; at++) value -= Math.log(at);
  const series = 1 / (12 * at) - 1 / (360 * at ** 3) + 1 / (1260 * at ** 5);
  return value + (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series;
}

// Rule: calibration-brute-force
describe("the fit finds what a brute-force maximizer finds", () => {
  test("for the correction of a life", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 40 }),
        fc.double({ min: 0, max: 60, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (failures, exposure, shape) => {
          const posterior = (y: number) =>
            -shape * y * failures - exposure * Math.exp(-shape * y) - y ** 2 / (2 * 0.3 ** 2);
          const brute = bruteMaximum(posterior, -Math.log(2.5), Math.log(2.5));
          expect(Math.abs(fitLifeCorrection(failures, exposure, shape) - brute)).toBeLessThan(1e-6);
        },
      ),
    );
  });

  test("for the shape of the frailty", () => {
    const shapes = [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40];
    const found = new Set<number | null>();
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            failures: fc.nat({ max: 6 }),
            expected: fc.double({ min: 0.01, max: 6, noNaN: true }),
          }),
          {
            minLength: 1,
            maxLength: 30,
          },
        ),
        (appliances) => {
          const logLikelihood = (k: number | null) =>
            appliances.reduce((sum, { failures: d, expected: e }) => {
              if (k === null) return sum - e;
              return sum + logGamma(k + d) - logGamma(k) + k * Math.log(k) - (k + d) * Math.log(k + e);
            }, 0);
          const fitted = runSteps(fitFrailtyShapeInSteps(appliances));
          found.add(fitted);
          const best = Math.max(...[null, ...shapes].map(logLikelihood));
          expect(logLikelihood(fitted)).toBeGreaterThan(best - 1e-6);
        },
      ),
    );
    expect(found.size).toBeGreaterThan(1);
  });

  test("for the strength of evidence", () => {
    const random = seededRandom(7);
    const limits = { lowestProduct: 0.1, highestProduct: 10 };
    for (const truth of [0.3, 1, 2.2]) {
      const rows: EvidenceRow[] = Array.from({ length: 400 }, () => {
        const condition = [1, 0.6, 1.1, 2.4][Math.floor(random() * 4)]!;
        const repairs = 1.25 ** Math.floor(random() * 3);
        const hazard = 0.3 * random();
        const failed = random() < -Math.expm1(-hazard * condition ** truth * repairs);
        return { hazard, condition, repairs, failed };
      });
      const logPosterior = (g1: number, g2: number) =>
        rows.reduce(
          (sum, { hazard, condition, repairs, failed }) => {
            const ratio = Math.min(10, Math.max(0.1, condition ** g1 * repairs ** g2));
            return sum + (failed ? Math.log(1 - Math.exp(-hazard * ratio)) : -hazard * ratio);
          },
          -((g1 - 1) ** 2 + (g2 - 1) ** 2) / (2 * 0.5 ** 2),
        );
      const strength = runSteps(fitEvidenceStrengthInSteps(rows, limits));
      let brute = { condition: 1, repairs: 1 };
      for (let round = 0; round < 12; round++) {
        const condition = bruteMaximum((g) => logPosterior(g, brute.repairs), 0, 4);
        brute = { condition, repairs: bruteMaximum((g) => logPosterior(condition, g), 0, 4) };
      }
      expect(Math.abs(strength.condition - brute.condition)).toBeLessThan(1e-6);
      expect(Math.abs(strength.repairs - brute.repairs)).toBeLessThan(1e-6);
    }
  });
});

test("an appliance's frailty stays within its limits, and is 1 without frailty", () => {
  expect(estimateFrailty({ failures: 3, expected: 1 }, 2)).toBeCloseTo(5 / 3, 12);
  expect(estimateFrailty({ failures: 90, expected: 1 }, 2)).toBe(5);
  expect(estimateFrailty({ failures: 0, expected: 90 }, 2)).toBe(0.2);
  expect(estimateFrailty({ failures: 90, expected: 1 }, null)).toBe(1);
});

test("a sum does not depend on the order of its terms", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e5, max: 1e5, noNaN: true })), fc.nat(), (terms, seed) => {
      const sum = (list: readonly number[]) => {
        const total = new ReproducibleSum();
        for (const term of list) total.add(term);
        return total.value;
      };
      expect(sum(shuffled(terms, seededRandom(seed)))).toBe(sum(terms));
      expect(sum(terms)).toBeCloseTo(
        terms.reduce((a, b) => a + b, 0),
        5,
      );
    }),
  );
});

// Rule: calibration-deterministic
test("the same record in another order gives the same bytes", () => {
  const fleet = goldenFleet();
  const bytes = (given: readonly PropertyHistory[]) => {
    const { kinds, frailtyShape, corrections, ...rest } = runSteps(
      fitModelInSteps(knowledge, livesOf(given, expected.as_of)),
    );
    const frailties = [...corrections.frailties].sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify({ kinds, frailtyShape, frailties, strength: corrections.strength, rest });
  };
  const wanted = bytes(fleet);
  for (const seed of [1, 2, 3]) {
    const random = seededRandom(seed);
    const other = shuffled(fleet, random).map((property) => ({
      ...property,
      appliances: shuffled(property.appliances, random).map((appliance) => ({
        ...appliance,
        components: shuffled(appliance.components, random),
        events: shuffled(appliance.events, random),
      })),
    }));
    expect(bytes(other)).toBe(wanted);
  }
});

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

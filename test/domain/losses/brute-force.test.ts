import { describe, expect, test } from "bun:test";
import { SYSTEMS } from "../../../src/domain/domain-knowledge.ts";
import { exactLosses } from "../../../src/domain/losses/exact-losses.ts";
import {
  exceedanceCurve,
  sortSimulatedYears,
  tailValueAtRisk,
} from "../../../src/domain/losses/exceedance.ts";
import { LOSSES, type LossComponent } from "../../../src/domain/losses/loss-component.ts";
import type { SimulatedYearLosses } from "../../../src/domain/losses/simulated-year-losses.ts";
import { simulateYears } from "../../../src/domain/losses/simulated-years.ts";
import { hazardFromYearProbability } from "../../../src/domain/losses/yearly-hazard-factor.ts";
import { RandomVariates } from "../../../src/domain/statistics/random-variates.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { bookOf, componentOf, lossClassOf } from "./books.ts";

const YEARS = 20_000;
const LAYER = { deductible: 2500, limit: 50_000 };

const sorted = (loss: SimulatedYearLosses) => runSteps(sortSimulatedYears(loss));

/** Uses the numbers of the machine instead of the product's generator, which the test is about. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Draws a gamma number with a whole shape as a sum of exponential ones. */
function gammaOfWhole(random: () => number, shape: number): number {
  let sum = 0;
  for (let k = 0; k < shape; k++) sum -= Math.log(1 - random());
  return sum;
}

/** A linear congruential generator (Knuth's MMIX in doubles would lose bits; this one is Park and Miller's). */
function minimalStandard(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Simulates the failure of every component in every year, as the model is stated. */
function bruteForce(components: readonly LossComponent[]) {
  const random = minimalStandard(12_345);
  const groups = [...new Set(components.map(({ division, system }) => `${division} ${system}`))];
  const years = {
    total: new Float64Array(YEARS),
    damage: new Float64Array(YEARS),
    insured: new Float64Array(YEARS),
  };
  const hazards = components.map((component) =>
    hazardFromYearProbability(component.failureProbability, lossClassOf(component.system).yearFactorVariance),
  );
  const groupOf = components.map(({ division, system }) => groups.indexOf(`${division} ${system}`));
  for (let year = 0; year < YEARS; year++) {
    const factors = groups.map((group) => {
      const shape =
        1 / lossClassOf(SYSTEMS.find((system) => group.endsWith(` ${system}`))!).yearFactorVariance;
      return gammaOfWhole(random, Math.round(shape)) / Math.round(shape);
    });
    for (const [at, component] of components.entries()) {
      if (random() >= 1 - Math.exp(-hazards[at]! * factors[groupOf[at]!]!)) continue;
      years.total[year]! += component.repair;
      if (!component.damage) continue;
      const { severity, frequency } = component.damage;
      let count = random() < frequency ? 1 : 0;
      if (severity.isPoisson) {
        count = 0;
        for (let product = random(); product > Math.exp(-frequency); product *= random()) count++;
      }
      const sigma = Math.sqrt(Math.log(1 + severity.variation ** 2));
      for (; count > 0; count--) {
        const amount = severity.mean * Math.exp(sigma * normal(random) - sigma ** 2 / 2);
        years.total[year]! += amount;
        years.damage[year]! += amount;
        years.insured[year]! += Math.min(Math.max(amount - LAYER.deductible, 0), LAYER.limit);
      }
    }
  }
  return years;
}

/** A book of components with few large ones, in which every part of the method matters. */
function mixedComponents(count: number): LossComponent[] {
  const random = minimalStandard(count);
  return Array.from({ length: count }, () => {
    const frequency = [0, 0, 0.05, 0.2, 1.5][Math.floor(random() * 5)]!;
    return componentOf({
      failureProbability: 0.02 + 0.25 * random() ** 3,
      repair: Math.round(Math.exp(5.5 + 2.5 * random())),
      frequency,
      damage: Math.round(Math.exp(7 + 3 * random())),
      isPoisson: frequency > 1,
      // Their year factors have whole shapes.
      system: (["plumbing", "structural", "appliance"] as const)[Math.floor(random() * 3)]!,
      division: ["pacific", "mountain"][Math.floor(random() * 2)]!,
    });
  });
}

// Rule: losses-simulation
describe.each([60, 800])("a book of %d components", (count) => {
  const components = mixedComponents(count);
  const brute = bruteForce(components);
  const book = bookOf(components, LAYER);
  const years = runSteps(simulateYears(book, { years: YEARS, modelError: 0 }));

  test("has the mean and deviation of every component simulated", () => {
    const exact = runSteps(exactLosses(book));
    for (const loss of LOSSES) {
      const mean = brute[loss].reduce((sum, one) => sum + one, 0) / YEARS;
      const variance = brute[loss].reduce((sum, one) => sum + (one - mean) ** 2, 0) / YEARS;
      const { expected, standardDeviation } = exact.losses[loss];
      expect(Math.abs(mean - expected)).toBeLessThan((4 * standardDeviation) / Math.sqrt(YEARS));
      expect(Math.abs(Math.sqrt(variance) / standardDeviation - 1)).toBeLessThan(0.06);
    }
  });

  test("has the quantiles of every component simulated", () => {
    for (const loss of LOSSES) {
      const expected = exceedanceCurve(sorted({ plain: brute[loss], withError: brute[loss] }));
      for (const [index, { amount, standardError, years: period }] of exceedanceCurve(
        sorted(years[loss]),
      ).entries()) {
        const error = Math.hypot(standardError, expected[index]!.standardError);
        const tolerance = Math.max(5 * error, 0.01 * amount);
        expect(Math.abs(amount - expected[index]!.amount), `${loss} of ${period} years`).toBeLessThanOrEqual(
          tolerance,
        );
      }
      const [own, simulated] = [
        tailValueAtRisk(sorted(years[loss])),
        tailValueAtRisk(sorted({ plain: brute[loss], withError: brute[loss] })),
      ];
      expect(Math.abs(own.amount - simulated.amount)).toBeLessThan(
        5 * Math.hypot(own.standardError, simulated.standardError),
      );
    }
  });
});

// The simulated fleet: 20,000 winters of one city, of which some are cold, and its pipes that burst together.
// Rule: losses-simulation
test("the curve is that of a fleet whose bad winters come together", () => {
  const random = new RandomVariates(7);
  const pipes = Array.from({ length: 2000 }, () =>
    componentOf({ failureProbability: 0.04, repair: 800, frequency: 0.1, damage: 12_000 }),
  );
  const hazard = hazardFromYearProbability(0.04, lossClassOf("plumbing").yearFactorVariance);
  const costs = new Float64Array(YEARS);
  for (let year = 0; year < YEARS; year++) {
    // 25 storms' worth of cold make a winter; bursts follow a Poisson number with that mean.
    const winter = random.gamma(25) / 25;
    const mean = 2000 * (1 - Math.exp(-hazard * winter));
    const bursts = Math.round(mean + Math.sqrt(mean) * random.normal());
    for (let burst = 0; burst < bursts; burst++) {
      costs[year]! += 800;
      if (random.uniform() < 0.1)
        costs[year]! += 12_000 * Math.exp(Math.sqrt(Math.log(3.25)) * random.normal() - Math.log(3.25) / 2);
    }
  }
  const book = bookOf(pipes, LAYER);
  const simulated = exceedanceCurve(
    sorted(runSteps(simulateYears(book, { years: YEARS, modelError: 0 })).total),
  );
  const ofWinters = exceedanceCurve(sorted({ plain: costs, withError: costs }));
  // Half of the pipes are simulated together as a gamma sum, which makes their damages a little less skew.
  for (const [index, { amount, standardError }] of ofWinters.entries()) {
    const error = Math.hypot(standardError, simulated[index]!.standardError);
    expect(Math.abs(simulated[index]!.amount - amount)).toBeLessThan(Math.max(4 * error, 0.03 * amount));
  }
  // Without shared causes the bad years are better.
  const still = bookOf(pipes, LAYER, (system) => ({ ...lossClassOf(system), yearFactorVariance: 1e-12 }));
  const alone = exceedanceCurve(
    sorted(runSteps(simulateYears(still, { years: YEARS, modelError: 0 })).total),
  );
  expect(alone[5]!.amount).toBeLessThan(0.97 * simulated[5]!.amount);
});

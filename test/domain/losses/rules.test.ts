import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SYSTEMS } from "../../../src/domain/domain-knowledge.ts";
import { annualBookLosses } from "../../../src/domain/losses/book-losses.ts";
import { exactLosses, largestDamageExceedance } from "../../../src/domain/losses/exact-losses.ts";
import { LOSSES, type LossComponent } from "../../../src/domain/losses/loss-component.ts";
import { covarianceWithBook, DRIVERS, lossDriversInSteps } from "../../../src/domain/losses/loss-drivers.ts";
import { insuredMoments } from "../../../src/domain/losses/loss-severity.ts";
import { simulateYears } from "../../../src/domain/losses/simulated-years.ts";
import { technicalPremium } from "../../../src/domain/losses/technical-premium.ts";
import {
  hazardFromYearProbability,
  survivalOverYearlyHazardFactor,
  yearlyHazardFactorQuadrature,
} from "../../../src/domain/losses/yearly-hazard-factor.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { bookOf, componentOf, lossClassOf } from "./books.ts";

const anyComponent: fc.Arbitrary<LossComponent> = fc
  .record({
    failureProbability: fc.double({ min: 0.0001, max: 0.99, noNaN: true }),
    repair: fc.integer({ min: 0, max: 50_000 }),
    frequency: fc.constantFrom(0, 0.02, 0.12, 0.8, 2.5),
    damage: fc.integer({ min: 500, max: 90_000 }),
    system: fc.constantFrom(...SYSTEMS),
    division: fc.constantFrom("pacific", "mountain"),
    state: fc.constantFrom("WA", "CO"),
    propertyId: fc.constantFrom("P_1", "P_2", "P_3"),
    kind: fc.constantFrom("tank", "roof"),
  })
  // One damage at most has a probability; a mean above 1 is a Poisson number's.
  .map((given) => componentOf({ ...given, isPoisson: given.frequency > 0.5 }));
const anyComponents = fc.array(anyComponent, { minLength: 1, maxLength: 40 });
const check = (property: fc.IProperty<[LossComponent[]]>) => fc.assert(property, { numRuns: 40 });

const exactOf = (components: readonly LossComponent[]) => runSteps(exactLosses(bookOf(components)));

const momentsOf = ({ repair, damage }: LossComponent) => {
  if (!damage) return { mean: repair, square: repair ** 2 };
  const { severity, frequency } = damage;
  const own = frequency * severity.mean ** 2 * (1 + severity.variation ** 2);
  const more = severity.isPoisson ? (frequency * severity.mean) ** 2 : 0;
  const mean = frequency * severity.mean;
  return { mean: repair + mean, square: repair ** 2 + 2 * repair * mean + own + more };
};

/** The variance by its definition: over every pair of components of a group. */
function varianceByPairs(components: readonly LossComponent[]): number {
  let variance = 0;
  for (const [i, one] of components.entries())
    for (const [j, other] of components.entries()) {
      const [a, b] = [momentsOf(one), momentsOf(other)];
      const [p, q] = [one.failureProbability, other.failureProbability];
      if (i === j) variance += p * a.square - (p * a.mean) ** 2;
      else if (one.system === other.system && one.division === other.division) {
        const v = lossClassOf(one.system).yearFactorVariance;
        const both =
          survivalOverYearlyHazardFactor(
            hazardFromYearProbability(p, v) + hazardFromYearProbability(q, v),
            v,
          ) -
          (1 - p) * (1 - q);
        variance += a.mean * b.mean * both;
      }
    }
  return variance;
}

describe("the exact losses", () => {
  // Rule: losses-properties
  test("have the variance of all pairs of components", () => {
    check(
      fc.property(anyComponents, (components) => {
        const variance = varianceByPairs(components);
        expect(exactOf(components).losses.total.standardDeviation ** 2 / variance).toBeCloseTo(1, 6);
      }),
    );
  });

  test("have the variance of independent components without year factors", () => {
    check(
      fc.property(anyComponents, (components) => {
        const still = bookOf(components, undefined, (system) => ({
          ...lossClassOf(system),
          yearFactorVariance: 1e-12,
        }));
        const independent = components.reduce((sum, component) => {
          const { mean, square } = momentsOf(component);
          return sum + component.failureProbability * square - (component.failureProbability * mean) ** 2;
        }, 0);
        const { standardDeviation } = runSteps(exactLosses(still)).losses.total;
        expect(standardDeviation ** 2 / independent).toBeCloseTo(1, 6);
      }),
    );
  });

  test("never expect less of more components", () => {
    check(
      fc.property(anyComponents, (components) => {
        const [all, fewer] = [exactOf(components), exactOf(components.slice(1))];
        for (const loss of LOSSES)
          expect(all.losses[loss].expected).toBeGreaterThanOrEqual(fewer.losses[loss].expected * (1 - 1e-12));
      }),
    );
  });

  test("have insured and retained damage that add up to the damage", () => {
    check(
      fc.property(anyComponents, (components) => {
        const insuredOf = (deductible: number, limit: number | null) =>
          runSteps(exactLosses(bookOf(components, { deductible, limit }))).losses;
        const { damage, insured } = insuredOf(0, 5000);
        const middle = insuredOf(5000, 20_000).insured;
        const top = insuredOf(25_000, null).insured;
        const layers = insured.expected + middle.expected + top.expected;
        expect(Math.abs(layers - damage.expected)).toBeLessThan(1e-6 * damage.expected + 1e-9);
        const whole = insuredOf(0, null).insured;
        expect(Math.abs(whole.standardDeviation - damage.standardDeviation)).toBeLessThan(
          1e-6 * damage.standardDeviation + 1e-9,
        );
      }),
    );
  });

  test("have probabilities of the largest damage that fall with the amount", () => {
    check(
      fc.property(anyComponents, (components) => {
        const book = bookOf(components);
        const exact = runSteps(exactLosses(book));
        const [low, middle, high] = runSteps(largestDamageExceedance(book, exact.groups));
        expect(low).toBeGreaterThanOrEqual(middle!);
        expect(middle).toBeGreaterThanOrEqual(high!);
        expect(low).toBeLessThanOrEqual(1);
        expect(high).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  // The damages are far above the amount, so that only their number matters.
  test.each([
    [false, 0.3],
    [true, 1 - Math.exp(-0.3)],
  ])("have the probability of any damage, where several are possible: %p", (isPoisson, given) => {
    const component = componentOf({ failureProbability: 0.4, frequency: 0.3, damage: 1e12, isPoisson });
    const book = bookOf([component]);
    const [low] = runSteps(largestDamageExceedance(book, runSteps(exactLosses(book)).groups));
    expect(low).toBeCloseTo(0.4 * given, 6);
  });
});

describe("the drivers", () => {
  // Rule: losses-properties
  test("have shares that add up to 1, and expected losses that add up to the book's", () => {
    check(
      fc.property(anyComponents, (components) => {
        const book = bookOf(components);
        const exact = runSteps(exactLosses(book));
        const { drivers } = runSteps(lossDriversInSteps(book, exact));
        fc.pre(exact.losses.total.standardDeviation > 1);
        for (const by of DRIVERS) {
          const some = drivers.filter((driver) => driver.by === by);
          const sum = (pick: (one: (typeof some)[number]) => number) =>
            some.reduce((total, one) => total + pick(one), 0);
          expect(sum((one) => one.shareOfExpected)).toBeCloseTo(1, 9);
          expect(sum((one) => one.shareOfVariance)).toBeCloseTo(1, 6);
          expect(sum((one) => one.expected) / exact.losses.total.expected).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  test("are found in short steps, also where each damage costs something else", () => {
    const COMPONENTS = 40_000;
    const stepsOf = (damageOf: (nth: number) => number) => {
      const components = Array.from({ length: COMPONENTS }, (_, n) =>
        componentOf({ frequency: 0.1, damage: damageOf(n) }),
      );
      const book = bookOf(components);
      const steps = lossDriversInSteps(book, runSteps(exactLosses(book)));
      let taken = 0;
      while (!steps.next().done) taken++;
      return taken;
    };
    expect(stepsOf((nth) => 1000 + nth)).toBeGreaterThan(stepsOf(() => 1000) + 5);
  });

  test("name the largest properties and put the others in one line", () => {
    const components = Array.from({ length: 100 }, (_, at) =>
      componentOf({ propertyId: `P_${at}`, repair: 1000 + at }),
    );
    const book = bookOf(components);
    const { drivers } = runSteps(lossDriversInSteps(book, runSteps(exactLosses(book))));
    const properties = drivers.filter(({ by }) => by === "property");
    expect(properties).toHaveLength(21);
    expect(properties[0]!.key).toBe("P_99");
    expect(properties.at(-1)!.key).toBe("others");
    for (const share of ["shareOfExpected", "shareOfVariance"] as const)
      expect(properties.reduce((total, one) => total + one[share], 0)).toBeCloseTo(1, 9);
  });

  test("give properties covariances that add up to the variance of each loss", () => {
    check(
      fc.property(anyComponents, (components) => {
        const book = bookOf(components);
        const { variation } = runSteps(annualBookLosses(book, { years: 10, modelError: 0.1 }));
        for (const loss of LOSSES) {
          const covariances = ["P_1", "P_2", "P_3"].map((id) =>
            runSteps(
              covarianceWithBook(
                variation,
                bookOf(components.filter(({ propertyId }) => propertyId === id)),
                loss,
              ),
            ),
          );
          const sum = covariances.reduce((total, one) => total + one, 0);
          const variance = variation.standardDeviation[loss] ** 2;
          expect(Math.abs(sum - variance)).toBeLessThan(1e-6 * variance + 1e-6);
        }
      }),
    );
  });
});

describe("the simulated years", () => {
  // Rule: losses-simulation
  test("with model error have the same mean, and its variance beside their own", () => {
    const components = Array.from({ length: 1500 }, () =>
      componentOf({ failureProbability: 0.02, system: "appliance" }),
    );
    const { total } = runSteps(simulateYears(bookOf(components), { years: 20_000, modelError: 0.25 }));
    const momentsOf = (years: Float64Array) => {
      const mean = years.reduce((sum, one) => sum + one, 0) / years.length;
      const variance = years.reduce((sum, one) => sum + (one - mean) ** 2, 0) / years.length;
      return { mean, relative: variance / mean ** 2 };
    };
    const [plain, withError] = [momentsOf(total.plain), momentsOf(total.withError)];
    expect(Math.abs(withError.mean / plain.mean - 1)).toBeLessThan(0.01);
    // The variance of a log-normal error of the hazards, a little less where some components fail anyway.
    expect((withError.relative - plain.relative) / (Math.exp(0.25 ** 2) - 1)).toBeWithin(0.88, 1.05);
  });

  // Rule: losses-properties
  test("rise with the return period, and are the same each time", () => {
    check(
      fc.property(anyComponents, (components) => {
        const run = () => runSteps(annualBookLosses(bookOf(components), { years: 400, modelError: 0.25 }));
        const first = run();
        for (const loss of LOSSES) {
          const amounts = first[loss].exceedance.map(({ amount }) => amount);
          expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
          expect(first[loss].tailValueAtRisk.amount).toBeGreaterThanOrEqual(amounts[5]! * (1 - 1e-12));
        }
        expect(run()).toEqual(first);
      }),
    );
  });

  test("are zeros for a book without components", () => {
    const empty = runSteps(annualBookLosses(bookOf([]), { years: 100, modelError: 0.25 }));
    expect(empty).toMatchObject({ components: 0, total: { expected: 0, standardDeviation: 0 }, drivers: [] });
    expect(empty.largestDamage.map(({ probability }) => probability)).toEqual([0, 0, 0]);
    expect(empty.total.exceedance.map(({ amount }) => amount)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test("of components that nearly all fail cost nearly all of their repairs", () => {
    const components = SYSTEMS.flatMap((system) =>
      Array.from({ length: 200 }, () => componentOf({ failureProbability: 0.99, repair: 100, system })),
    );
    const { total, damage, insured } = runSteps(
      annualBookLosses(bookOf(components), { years: 400, modelError: 0.25 }),
    );
    expect(total.expected).toBeCloseTo(0.99 * 100 * components.length, 6);
    for (const { amount, withModelError } of total.exceedance) {
      // Those simulated together have a gamma sum, which may exceed the sum of all by little.
      expect(amount).toBeWithin(0.97 * 100 * components.length, 1.001 * 100 * components.length);
      expect(withModelError).toBeWithin(0.9 * 100 * components.length, 1.001 * 100 * components.length);
    }
    expect([damage.expected, insured.expected]).toEqual([0, 0]);
  });

  test("of one component are its own", () => {
    const component = componentOf({ failureProbability: 0.02, repair: 5000, frequency: 0.5, damage: 20_000 });
    const {
      total,
      drivers,
      largestDamage: damages,
    } = runSteps(annualBookLosses(bookOf([component]), { years: 2000, modelError: 0.25 }));
    expect(total.expected).toBeCloseTo(0.02 * 15_000, 9);
    expect(total.exceedance[0]!.amount).toBe(0);
    expect(total.exceedance.at(-1)!.amount).toBeGreaterThanOrEqual(5000);
    expect(damages[0]!.probability).toBeWithin(0, 0.01);
    for (const by of DRIVERS.filter((name) => name !== "peril"))
      expect(drivers.filter((driver) => driver.by === by)).toEqual([
        expect.objectContaining({ shareOfExpected: 1, shareOfVariance: expect.closeTo(1, 6) }),
      ]);
  });

  test("of one certain component cost its repair almost every year", () => {
    const book = bookOf([componentOf({ failureProbability: 1, repair: 700 })]);
    const { total, damage } = runSteps(annualBookLosses(book, { years: 1000, modelError: 0.25 }));
    expect(total.expected).toBe(700);
    expect(total.exceedance[0]!.amount).toBe(700);
    expect(damage.exceedance.at(-1)!.amount).toBe(0);
  });
});

describe("the insured part of a damage", () => {
  test("has moments that a layer can have, for any damage and layer", () => {
    const cents = fc.oneof(fc.constantFrom(0, 1, 100, 1e11), fc.integer({ min: 0, max: 1_000_000_000 }));
    fc.assert(
      fc.property(
        fc.record({ mean: cents, variation: fc.constantFrom(0, 0.01, 0.5, 1.5, 3) }),
        fc.record({ deductible: cents, limit: fc.option(cents.filter((limit) => limit >= 100)) }),
        (damage, layer) => {
          const { mean, square } = insuredMoments({ peril: "water", ...damage, isPoisson: false }, layer);
          expect(mean).toBeWithin(0, Math.min(damage.mean, layer.limit ?? damage.mean) * (1 + 1e-9) + 1e-9);
          expect(square).toBeWithin(mean ** 2, Number.MAX_VALUE);
        },
      ),
      {
        numRuns: 1000,
        examples: [
          [
            { mean: 1e11, variation: 1.5 },
            { deductible: 113_777_828, limit: 100 },
          ],
        ],
      },
    );
  });

  test("is zero for a component whose damage costs nothing", () => {
    const components = [0, 20_000].map((damage) =>
      componentOf({ failureProbability: 0.5, frequency: 0.5, damage }),
    );
    const lossesBy = (some: readonly LossComponent[]) =>
      runSteps(
        annualBookLosses(bookOf(some, { deductible: 0, limit: 100 }), { years: 1000, modelError: 0.25 }),
      ).insured;
    expect(lossesBy(components).expected).toBe(lossesBy(components.slice(1)).expected);
    for (const { amount, withModelError } of lossesBy(components).exceedance)
      expect(amount + withModelError).toBeGreaterThanOrEqual(0);
  });
});

test("a quadrature of the year factor has its mean and moments", () => {
  for (const variance of [0.0001, 0.01, 0.04, 0.1, 1]) {
    const { points, weights } = yearlyHazardFactorQuadrature(variance);
    const mean = (value: (z: number) => number) =>
      weights.reduce((sum, weight, k) => sum + weight * value(points[k]!), 0);
    expect(mean(() => 1)).toBeCloseTo(1, 12);
    expect(mean((z) => z)).toBeCloseTo(1, 12);
    expect(mean((z) => (z - 1) ** 2) / variance).toBeCloseTo(1, 9);
    for (const hazard of [0.01, 0.5, 3])
      expect(
        mean((z) => Math.exp(-hazard * z)) / survivalOverYearlyHazardFactor(hazard, variance),
      ).toBeCloseTo(1, 9);
  }
});

test("a technical premium is the loss with its adjustment and the price of its deviation", () => {
  const terms = { riskLoad: 0.3, lossAdjustmentRatio: 0.1, expenseRatio: 0.25 };
  expect(technicalPremium(1000, 500, terms)).toBeCloseTo((1100 + 150) / 0.75, 9);
});

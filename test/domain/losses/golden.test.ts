import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { System } from "../../../src/domain/domain-knowledge.ts";
import { exactLosses, largestDamageExceedance } from "../../../src/domain/losses/exact-losses.ts";
import {
  exceedanceCurve,
  RETURN_PERIODS,
  sortSimulatedYears,
  tailValueAtRisk,
} from "../../../src/domain/losses/exceedance.ts";
import type { LossBook } from "../../../src/domain/losses/loss-book.ts";
import { LOSSES } from "../../../src/domain/losses/loss-component.ts";
import { simulateYears } from "../../../src/domain/losses/simulated-years.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { AMOUNTS, bookOf, componentOf } from "./books.ts";

type Amounts = Record<string, number>;
type Golden = {
  name: string;
  deductible: number;
  limit: number;
  parts: [division: string, system: System, q: number, repair: number, frequency: number, damage: number][];
  total: { expected: number; standard_deviation: number };
  damage: { expected: number; standard_deviation: number };
  insured: { expected: number };
  largest_damage_exceeds: Amounts;
  simulated: Record<(typeof LOSSES)[number], Amounts> & {
    total_tail_value_at_risk_99: number;
    damage_tail_value_at_risk_99: number;
  };
};

const books: Golden[] = JSON.parse(
  readFileSync(join(import.meta.dir, "../../fixtures/golden-losses.json"), "utf8"),
);

const goldenBook = ({ parts, deductible, limit }: Golden): LossBook =>
  bookOf(
    parts.map(([division, system, failureProbability, repair, frequency, damage]) =>
      componentOf({ division, system, failureProbability, repair, frequency, damage }),
    ),
    { deductible, limit },
  );

const expectWithin = (actual: number, expected: number, tolerance: number) =>
  expect(Math.abs(actual - expected), `${actual} beside ${expected}`).toBeLessThanOrEqual(tolerance);

// The figures of a separate implementation, and quantiles of its 200,000 simulated years.
// Rule: losses-golden
describe.each(books.map((golden) => [golden.name, golden] as const))("the book %s", (_, golden) => {
  const book = goldenBook(golden);
  const exact = runSteps(exactLosses(book));

  test("has the exact figures", () => {
    const { total, damage, insured } = exact.losses;
    for (const [actual, expected] of [
      [total, golden.total],
      [damage, golden.damage],
    ] as const) {
      expectWithin(actual.expected, expected.expected, 1e-6 * expected.expected);
      expectWithin(actual.standardDeviation, expected.standard_deviation, 1e-6 * expected.standard_deviation);
    }
    expectWithin(insured.expected, golden.insured.expected, 1e-6 * golden.insured.expected);
  });

  test("has the probabilities of the largest damage", () => {
    const actual = runSteps(largestDamageExceedance(book, exact.groups));
    for (const [index, amount] of AMOUNTS.entries()) {
      const expected = golden.largest_damage_exceeds[amount]!;
      expectWithin(actual[index]!, expected, 1e-4 * expected + 5e-7);
    }
  });
});

// The other two books take most of a minute.
test.each(books.filter(({ name }) => ["building", "one_division", "heavy"].includes(name)))(
  "the book $name has the quantiles of a long simulation",
  (golden) => {
    const years = runSteps(simulateYears(goldenBook(golden), { years: 200_000, modelError: 0.25 }));
    for (const loss of LOSSES)
      for (const { years: period, amount } of exceedanceCurve(runSteps(sortSimulatedYears(years[loss])))) {
        const expected = golden.simulated[loss][period]!;
        // Quantiles of rare small damages are a few hundred dollars, on a steep part of the curve.
        expectWithin(amount, expected, (period === 200 ? 0.05 : 0.03) * expected + 60);
      }
    for (const [loss, expected] of [
      ["total", golden.simulated.total_tail_value_at_risk_99],
      ["damage", golden.simulated.damage_tail_value_at_risk_99],
    ] as const)
      expectWithin(
        tailValueAtRisk(runSteps(sortSimulatedYears(years[loss]))).amount,
        expected,
        0.05 * expected,
      );
  },
);

/** Returns how many standard errors the amounts exceeded in 20,000 years of a book differ from the record. */
function differences(golden: Golden, book: LossBook, seed?: number): number[] {
  const terms = { years: 20_000, modelError: 0.25, ...(seed !== undefined && { seed }) };
  const years = runSteps(simulateYears(book, terms));
  return LOSSES.flatMap((loss) =>
    exceedanceCurve(runSteps(sortSimulatedYears(years[loss]))).map(
      ({ years: period, amount, standardError }) => {
        const difference = Math.abs(amount - golden.simulated[loss][period]!);
        return difference === 0 ? 0 : difference / standardError;
      },
    ),
  );
}

/** An error from ten batches has nine degrees of freedom: 1.5 % of the differences exceed three of it. */
const expectChance = (errors: readonly number[]) =>
  expect(errors.filter((error) => error > 3).length).toBeLessThanOrEqual(0.03 * errors.length);

test("20,000 years differ from the record by what their standard errors allow", () => {
  const errors = books.flatMap((golden) => differences(golden, goldenBook(golden)));
  expectChance(errors);
  expect(Math.max(...errors)).toBeLessThan(5);
});

test("so do the years of any seed, taken together", () => {
  const errors = books
    .filter(({ name }) => ["building", "small"].includes(name))
    .flatMap((golden) => {
      const book = goldenBook(golden);
      return Array.from({ length: 10 }, (_, nth) => differences(golden, book, 1 + nth)).flat();
    });
  expect(errors).toHaveLength(420);
  expectChance(errors);
});

test("the return periods are those of the record", () => {
  expect(Object.keys(books[0]!.simulated.total).map(Number)).toEqual([...RETURN_PERIODS]);
});

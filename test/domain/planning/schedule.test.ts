import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CostSchedule } from "../../../src/domain/planning/cost-schedule.ts";
import type { PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import { anyPart, dearPart, planOf, worn, yearsOf } from "./parts.ts";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
const ROWS = [
  "planned",
  "failures",
  "repairs",
  "runToFailure",
  "squares",
] as const satisfies (keyof CostSchedule)[];
const parts = fc.array(fc.oneof(anyPart, dearPart), { minLength: 1, maxLength: 6 });

describe("a schedule", () => {
  // Rule: plan-schedule
  test("is the sum over its parts", () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 30 }), (all, years) => {
        const together = yearsOf(all, years).sums;
        const alone = all.map((part) => yearsOf([part], years).sums);
        for (const row of ROWS)
          for (let year = 0; year < years; year++)
            expectNear(together[row][year]!, sum(alone.map((part) => part[row][year]!)));
      }),
      { numRuns: 40 },
    );
  });

  // Rule: plan-schedule
  test("of n years equals the first n years of a longer one", () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 29 }), (all, years) => {
        const [shorter, longer] = [yearsOf(all, years).sums, yearsOf(all, years + 1).sums];
        for (const row of ROWS)
          for (let year = 0; year < years; year++) expectNear(longer[row][year]!, shorter[row][year]!);
      }),
      { numRuns: 40 },
    );
  });

  // Rule: plan-schedule
  test("plans nothing for run to failure, and expects the same failures in both columns", () => {
    fc.assert(
      fc.property(anyPart, (part) => {
        const { sums, plans } = yearsOf([part], 30);
        fc.pre(plans[0]!.yearlyCents === plans[0]!.yearlyCentsRunToFailure);
        expect(sum(sums.planned)).toBe(0);
        expect(sums.failures).toEqual(sums.runToFailure);
      }),
    );
  });

  test("expects at least the same failures in the coming year of an older or worse part run to failure", () => {
    fc.assert(
      fc.property(anyPart, fc.double({ min: 1, max: 3, noNaN: true }), (part, factor) => {
        const first = (given: PartInPlace) => yearsOf([given], 1).sums.runToFailure[0]!;
        const before = first(part);
        expectAtLeast(first({ ...part, ageYears: part.ageYears * factor }), before);
        expectAtLeast(first({ ...part, hazardRatio: part.hazardRatio * factor }), before);
      }),
    );
  });

  test("expects no more failures in the coming year than under run to failure", () => {
    fc.assert(
      fc.property(dearPart, (part) => {
        const { sums } = yearsOf([part], 1);
        expectAtLeast(sums.runToFailure[0]!, sums.failures[0]!);
      }),
    );
  });

  test("replaces what is due now in the first month", () => {
    const part = { ...worn, ageYears: 40 };
    expect(planOf(part).dueInYears).toBe(0);
    const { sums } = yearsOf([part], 1);
    // Its successor is due only after T*, years away; until then it fails as a new part does.
    expect(sums.planned[0]).toBeCloseTo(worn.plannedCents, 6);
    const failsIn11Months = 1 - Math.exp(-((11 / 12 / worn.scaleYears) ** worn.shape));
    expect(sums.failures[0]! / worn.failureCents / failsIn11Months).toBeCloseTo(1, 3);
  });

  test("approaches the yearly cost of the policy in the long run", () => {
    // After 20 mean lives the first part has no influence (renewal reward theorem).
    const { sums, plans } = yearsOf([{ ...worn, scaleYears: 1.5, ageYears: 0.3 }], 30);
    const late = (row: Float64Array) => sum(row.slice(20)) / 10;
    expect(Math.abs(late(sums.runToFailure) / plans[0]!.yearlyCentsRunToFailure - 1)).toBeLessThan(0.04);
    const ours = late(sums.planned) + late(sums.failures);
    expect(Math.abs(ours / plans[0]!.yearlyCents - 1)).toBeLessThan(0.04);
  });

  test("of a life shorter than a month has one failure per month", () => {
    const { sums } = yearsOf([{ ...worn, scaleYears: 0.01, ageYears: 0, plannedCents: 1_000_000 }], 2);
    expectNear(sums.runToFailure[0]!, 12 * worn.failureCents);
    expectNear(sums.runToFailure[1]!, 12 * worn.failureCents);
  });
});

function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(expected), 1));
}

const expectAtLeast = (actual: number, least: number) =>
  expect(actual).toBeGreaterThanOrEqual(least - 1e-9 * Math.max(least, 1));

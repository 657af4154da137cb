import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  conditionGrade,
  conditionIndexOfDueShare,
  METHODOLOGY,
  propertyConditionOf,
  propertyRatingOfConditionGrade,
} from "../../../src/domain/figures/property-condition.ts";

describe("the condition index", () => {
  // Rule: condition-curve
  test("is exact at its points", () => {
    const knots = [0, 0.05, 0.1, 0.2, 0.35, 1].map(conditionIndexOfDueShare);
    expect(knots).toEqual([100, 90, 80, 70, 60, 1]);
  });

  // Rule: condition-curve
  test("is linear between them", () => {
    expect(conditionIndexOfDueShare(0.025)).toBe(95);
    expect(conditionIndexOfDueShare(0.15)).toBe(75);
    expect(conditionIndexOfDueShare(0.26)).toBe(66); // 70 - 10 · 0.06/0.15
    expect(conditionIndexOfDueShare(0.675)).toBe(31); // 60 - 59/2 = 30.5
  });

  test("is a whole number from 1 to 100 that never rises with need", () => {
    const need = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(need, need, (a, b) => {
        const [least, most] = [
          conditionIndexOfDueShare(Math.max(a, b)),
          conditionIndexOfDueShare(Math.min(a, b)),
        ];
        expect(least).toBeLessThanOrEqual(most);
        for (const index of [least, most]) {
          expect(Number.isInteger(index)).toBe(true);
          expect(index).toBeGreaterThanOrEqual(1);
          expect(index).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

describe("the condition of a property", () => {
  const building = { replacementValueCents: 100_000_000, grossAreaSqft: null };
  const condition = (dueCents: number, vitalCritical = 0) => {
    const { facility, ...rest } = propertyConditionOf(building, { dueCents, rcvCents: 0, vitalCritical });
    return rest;
  };

  test("is perfect if nothing is due, and without equipment", () => {
    expect(condition(0)).toEqual({ score: 100, grade: "A", rating: "GOOD" });
    const nothing = { dueCents: 0, rcvCents: 0, vitalCritical: 0 };
    expect(propertyConditionOf({ replacementValueCents: null, grossAreaSqft: null }, nothing)).toMatchObject({
      score: 100,
      facility: { index: null },
    });
  });

  // Rule: condition-curve
  test("follows from what is due now as a share of the building's value", () => {
    // 0.081838: 90 - 10 · 0.031838/0.05 = 83.63
    expect(condition(8_183_800)).toEqual({ score: 84, grade: "B", rating: "GOOD" });
    const byArea = { replacementValueCents: null, grossAreaSqft: 1000 };
    const totals = { dueCents: 1_800_000, rcvCents: 500_000, vitalCritical: 0 };
    expect(propertyConditionOf(byArea, totals)).toMatchObject({
      score: 80,
      facility: { index: 0.1, basis: "area" },
    });
    expect(propertyConditionOf(byArea, totals, 36_000)).toMatchObject({
      score: 90,
      facility: { index: 0.05 },
    });
  });

  test("is worst if more is due than the building is worth", () => {
    expect(condition(120_000_000)).toEqual({ score: 1, grade: "F", rating: "FAIL" });
  });

  // Rule: grades
  test("is rated lower within its grade for a CRITICAL component of an elevator", () => {
    expect(condition(8_000_000, 1)).toEqual({ score: 84, grade: "B", rating: "FAIR" });
    expect(condition(18_666_700, 2)).toEqual({ score: 71, grade: "C", rating: "FAIL" });
  });
});

// Rule: grades
test("grades begin at 90, 80, 70 and 60", () => {
  expect([100, 90, 89, 80, 79, 70, 69, 60, 59, 1].map(conditionGrade)).toEqual([
    ...(["A", "A", "B", "B", "C", "C", "D", "D", "F", "F"] as const),
  ]);
});

// Rule: grades
test("each grade has its ratings", () => {
  const grades = ["A", "B", "C", "D", "F"] as const;
  expect(grades.map((grade) => propertyRatingOfConditionGrade(grade, false))).toEqual([
    "GOOD",
    "GOOD",
    "FAIR",
    "FAIL",
    "FAIL",
  ]);
  expect(grades.map((grade) => propertyRatingOfConditionGrade(grade, true))).toEqual([
    "GOOD",
    "FAIR",
    "FAIL",
    "FAIL",
    "FAIL",
  ]);
});

test("the methodology names the points of the index", () => {
  expect(METHODOLOGY).toContain(
    "0% scores 100, 5% scores 90, 10% scores 80, 20% scores 70, 35% scores 60, 100% scores 1",
  );
});

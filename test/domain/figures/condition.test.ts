import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  conditionIndex,
  conditionOf,
  gradeOf,
  METHODOLOGY,
  ratingOf,
} from "../../../src/domain/figures/condition.ts";
import { anyComponents, assess, part, whole } from "./components.ts";

describe("the condition index", () => {
  // Rule: condition-curve
  test("is exact at its points", () => {
    const knots = [0, 0.05, 0.1, 0.2, 0.35, 1].map(conditionIndex);
    expect(knots).toEqual([100, 90, 80, 70, 60, 1]);
  });

  // Rule: condition-curve
  test("is linear between them", () => {
    expect(conditionIndex(0.025)).toBe(95);
    expect(conditionIndex(0.15)).toBe(75);
    expect(conditionIndex(0.26)).toBe(66); // 70 - 10 · 0.06/0.15
    expect(conditionIndex(0.675)).toBe(31); // 60 - 59/2 = 30.5
  });

  test("is a whole number from 1 to 100 that never rises with need", () => {
    const need = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(need, need, (a, b) => {
        const [least, most] = [conditionIndex(Math.max(a, b)), conditionIndex(Math.min(a, b))];
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
  const condition = (components: Parameters<typeof assess>[0]) => conditionOf(assess(components));
  const boiler = whole("boiler", 0);

  test("is perfect without elevated components, and without any", () => {
    expect(condition(boiler)).toEqual({ score: 100, grade: "A", rating: "GOOD" });
    expect(condition([])).toEqual({ score: 100, grade: "A", rating: "GOOD" });
  });

  // Rule: condition-curve
  test("counts CRITICAL components in full and WARNING ones by half", () => {
    const failing = boiler.with(2, part("boiler_circulator", 80)).with(5, part("boiler_relief_valve", 60));
    // (950 + 380/2) / 13,930 = 0.081838: 90 - 10 · 0.031838/0.05 = 83.63
    expect(condition(failing)).toEqual({ score: 84, grade: "B", rating: "GOOD" });
  });

  test("is worst if everything needs replacement", () => {
    // 2,950 of parts against a unit of 1,500: the need is capped at 1
    expect(condition(whole("water_heater_gas", 90))).toEqual({ score: 1, grade: "F", rating: "FAIL" });
  });

  // Rule: grades
  test("is rated lower within its grade for a CRITICAL component of an elevator", () => {
    const elevator = whole("elevator", 0);
    // 12,000 / 150,000 = 0.08: 84; 12,000 + 16,000 = 0.186667: 71.3
    const fixtures = elevator.with(4, part("elev_car_fixtures", 90));
    expect(condition(fixtures)).toEqual({ score: 84, grade: "B", rating: "FAIR" });
    const doors = fixtures.with(2, part("elev_door_operator", 90));
    expect(condition(doors)).toEqual({ score: 71, grade: "C", rating: "FAIL" });
  });

  test("never improves when a component gets worse", () => {
    fc.assert(
      fc.property(anyComponents, fc.nat(), fc.constantFrom(52, 78, 99), (components, pick, worse) => {
        fc.pre(components.length > 0);
        const at = pick % components.length;
        const before = components[at]!;
        fc.pre(before.riskScore < worse);
        const after = components.with(at, part(before.defId, worse, { applianceId: before.applianceId }));
        expect(condition(after).score).toBeLessThanOrEqual(condition(components).score);
      }),
    );
  });
});

// Rule: grades
test("grades begin at 90, 80, 70 and 60", () => {
  expect([100, 90, 89, 80, 79, 70, 69, 60, 59, 1].map(gradeOf)).toEqual([
    ...(["A", "A", "B", "B", "C", "C", "D", "D", "F", "F"] as const),
  ]);
});

// Rule: grades
test("each grade has its ratings", () => {
  const grades = ["A", "B", "C", "D", "F"] as const;
  expect(grades.map((grade) => ratingOf(grade, false))).toEqual(["GOOD", "GOOD", "FAIR", "FAIL", "FAIL"]);
  expect(grades.map((grade) => ratingOf(grade, true))).toEqual(["GOOD", "FAIR", "FAIL", "FAIL", "FAIL"]);
});

test("the methodology names the points of the index", () => {
  expect(METHODOLOGY).toContain(
    "0% scores 100, 5% scores 90, 10% scores 80, 20% scores 70, 35% scores 60, 100% scores 1",
  );
});

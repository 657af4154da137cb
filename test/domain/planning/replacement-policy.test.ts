import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lifespanYearsOf, type PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import { gammaOfOnePlus } from "../../../src/domain/statistics/gamma-distribution.ts";
import { anyPart, dearPart, planOf, safetyPart, survival, worn } from "./parts.ts";

const MONTH = 1 / 12;
const DAY = 1 / 365.25;

/** The shortest life tried: ages are whole months, which miss the best by 1.01 % for a life of one year. */
const dearAndLasting = dearPart.filter(({ scaleYears }) => scaleYears >= 1.2);

/** Returns the long-run yearly cost of replacement at an age, with the integral by Simpson's rule over days. */
function yearlyCostAt(part: PartInPlace, ageYears: number): number {
  const steps = 2 * Math.ceil(ageYears / DAY / 2);
  const width = ageYears / steps;
  let integral = survival(part, 0) + survival(part, ageYears);
  for (let i = 1; i < steps; i++) integral += (i % 2 ? 4 : 2) * survival(part, i * width);
  const survives = survival(part, ageYears);
  return (part.plannedCents * survives + part.failureCents * (1 - survives)) / ((integral * width) / 3);
}

describe("the gamma function", () => {
  test("is the factorial of whole numbers, and √π/2 at a half", () => {
    for (const [x, factorial] of [1, 1, 2, 6, 24, 120, 720].entries())
      expect(gammaOfOnePlus(x) / factorial).toBeCloseTo(1, 13);
    expect(gammaOfOnePlus(0.5)).toBeCloseTo(Math.sqrt(Math.PI) / 2, 14);
  });

  test("satisfies Γ(x + 1) = x·Γ(x)", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 8, noNaN: true }), (x) => {
        expect(gammaOfOnePlus(x + 1) / gammaOfOnePlus(x) / (x + 1)).toBeCloseTo(1, 12);
      }),
    );
  });
});

describe("the policy of a kind", () => {
  // Rule: plan-policy
  test("replaces at an age within 1 % of the cheapest by brute force over days", () => {
    fc.assert(
      fc.property(dearAndLasting, (part) => {
        const { bestAgeMonths } = planOf(part);
        fc.pre(bestAgeMonths !== null);
        const ours = yearlyCostAt(part, bestAgeMonths * MONTH);
        for (let age = DAY; age <= 3 * lifespanYearsOf(part); age += Math.max(DAY, age / 100))
          expect(yearlyCostAt(part, age) * 1.01).toBeGreaterThanOrEqual(ours);
      }),
      { numRuns: 20 },
    );
  });

  // Rule: plan-policy
  test("runs to failure if no age by brute force costs less than 95 % of that", () => {
    fc.assert(
      fc.property(anyPart, (part) => {
        const { bestAgeMonths, yearlyCents, yearlyCentsRunToFailure } = planOf(part);
        fc.pre(bestAgeMonths === null);
        expect(yearlyCents).toBe(yearlyCentsRunToFailure);
        for (let month = 1; month <= 36 * lifespanYearsOf(part); month += Math.ceil(month / 20))
          expect(yearlyCostAt(part, month * MONTH)).toBeGreaterThanOrEqual(0.949 * yearlyCentsRunToFailure);
      }),
      { numRuns: 40 },
    );
  });

  test("of run to failure costs one failure per mean life", () => {
    // Γ(1 + 1/1) = 1: with a constant hazard the mean life is the scale.
    const { yearlyCentsRunToFailure } = planOf({ ...worn, shape: 1 });
    expect(yearlyCentsRunToFailure).toBeCloseTo(400_000 / 12, 6);
  });

  test("replaces nothing by age with a constant hazard or with failures that cost no more", () => {
    expect(planOf(worn).bestAgeMonths).toBeGreaterThan(0);
    for (const part of [
      { ...worn, shape: 1 },
      { ...worn, shape: 0.7 },
      { ...worn, failureCents: worn.plannedCents },
      { ...worn, failureCents: 0 },
      { ...worn, plannedCents: 0, failureCents: 0 },
    ])
      expect(planOf(part)).toMatchObject({ basis: null, bestAgeMonths: null, dueInYears: null });
  });

  test("replaces monthly what costs nothing to replace", () => {
    expect(planOf({ ...worn, plannedCents: 0 })).toMatchObject({ bestAgeMonths: 1, dueInYears: 0 });
  });

  // Rule: plan-policy
  test("never runs a safety part or a fixed life to failure", () => {
    fc.assert(
      fc.property(safetyPart, (part) => {
        const { bestAgeMonths, dueInYears, basis } = planOf(part);
        expect(bestAgeMonths).not.toBeNull();
        expect(dueInYears).not.toBeNull();
        if (part.fixedLifeYears !== null) {
          expect(basis).toBe("fixed_life");
          expect(bestAgeMonths).toBe(12 * part.fixedLifeYears);
        }
      }),
    );
  });

  test("of a safety part that is not worth planning is its expected life", () => {
    const part = { ...worn, failureCents: worn.plannedCents, safety: true };
    expect(planOf(part)).toMatchObject({
      basis: "safety",
      bestAgeMonths: Math.round(12 * lifespanYearsOf(part)),
    });
  });

  test("of a fixed life counts from the installation, or from the effective age with an unknown past", () => {
    const part = { ...worn, fixedLifeYears: 10, ageYears: 3, hazardRatio: 4 };
    expect(planOf({ ...part, labelAgeYears: 8 }).dueInYears).toBe(2);
    expect(planOf({ ...part, labelAgeYears: 3 }).dueInYears).toBe(7);
    expect(planOf({ ...part, labelAgeYears: 12 }).dueInYears).toBe(0);
  });
});

describe("a part in place", () => {
  // Rule: plan-policy
  test("is due when its hazard reaches that of a new part at the best age", () => {
    fc.assert(
      fc.property(dearPart, (part) => {
        const { bestAgeMonths, dueInYears } = planOf(part);
        fc.pre(bestAgeMonths !== null);
        const hazard = (age: number) => (age / part.scaleYears) ** (part.shape - 1);
        const limit = hazard(bestAgeMonths * MONTH);
        const then = part.hazardRatio * hazard(part.ageYears + dueInYears!);
        if (dueInYears! > 0) expect(then / limit).toBeCloseTo(1, 9);
        else expect(then).toBeGreaterThanOrEqual(limit * (1 - 1e-9));
      }),
    );
  });

  test("that is new, with a hazard ratio of 1, is due at the best age", () => {
    const { bestAgeMonths, dueInYears } = planOf({ ...worn, ageYears: 0 });
    expect(dueInYears).toBeCloseTo(bestAgeMonths! * MONTH, 12);
  });

  test("has a cost of waiting of the expected extra cost of a failure less the yearly cost of the policy", () => {
    const { waitingCents, yearlyCents } = planOf(worn);
    expect(waitingCents).toBeCloseTo(0.2 * 360_000 - yearlyCents, 9);
    expect(planOf({ ...worn, failureProbability: 0 }).waitingCents).toBe(-yearlyCents);
  });
});

import { describe, expect, test } from "bun:test";
import {
  failureProbability,
  type Life,
  project,
  scoreByAgeing,
} from "../../../src/domain/scoring/projection.ts";
import { tierOf } from "../../../src/domain/scoring/tier.ts";
import type { ScoreState } from "../../../src/domain/scoring/types.ts";
import { AS_OF, burner, knowledge } from "./histories.ts";

const { model } = knowledge;
const life: Life = { medianLifeYears: 21, weibullShape: 2.5, brandTier: "standard", overrideLifespan: null };
/** A burner of 20 years: η = 24.315831, (20/η)^2.5 = 0.613552. */
const state: ScoreState = burner();

describe("the probability of failing within a window", () => {
  test("is that of a part which has reached its age", () => {
    expect(failureProbability(state, life, 365, model)).toBeCloseTo(0.0764566, 7); // 1 - exp(0.613552 - 0.693091)
    expect(failureProbability(state, life, 0, model)).toBe(0);
  });

  test("takes the age at which the prior would equal the posterior", () => {
    // p = 0.6: V* = η · (-ln 0.4)^0.4 = 23.480234 years; within a mean year 0.0957940
    const bad = { ...state, probability: 0.6 };
    expect(failureProbability(bad, life, 365.25, model)).toBeCloseTo(0.095794, 6);
  });

  test("reads no age from a probability above 0.995", () => {
    // V* = η · (-ln 0.005)^0.4 = 47.374463 years
    const lost = { ...state, probability: 0.99999 };
    expect(failureProbability(lost, life, 90, model)).toBeCloseTo(0.0668261, 7);
    expect(failureProbability({ ...state, probability: 1 }, life, 90, model)).toBeCloseTo(0.0668261, 7);
  });
});

describe("the projected failure", () => {
  // Rule: projected-failure
  test("is the first day by which the part fails with a probability of one half", () => {
    const { projectedFailureOn, projectedFailureYear } = project(state, life, "HIGH", AS_OF, model);
    // η · (0.613552 + ln 2)^0.4 = 27.061977 years, 2579.4 days from now
    expect(projectedFailureOn).toBe("2032-07-24");
    expect(projectedFailureYear).toBe(2032);
    expect(failureProbability(state, life, 2579, model)).toBeLessThan(0.5);
    expect(failureProbability(state, life, 2580, model)).toBeGreaterThanOrEqual(0.5);
  });

  // Rule: projected-range
  test("has a range of a share of the effective lifespan, by confidence", () => {
    const range = (confidence: "HIGH" | "MEDIUM" | "LOW") =>
      project(state, life, confidence, AS_OF, model).projectedFailureRange;
    // 21 years · 4, 8 and 12 % are 307, 614 and 920 days either way
    expect(range("HIGH")).toEqual({ earliest: 2031, latest: 2033, confidencePct: 98 });
    expect(range("MEDIUM")).toEqual({ earliest: 2030, latest: 2034, confidencePct: 97 });
    expect(range("LOW")).toEqual({ earliest: 2030, latest: 2035, confidencePct: 96 });
  });

  // Rule: projected-range
  test("has a range that does not begin before this year", () => {
    const lost = { ...state, probability: 0.999 };
    expect(project(lost, life, "LOW", AS_OF, model).projectedFailureRange.earliest).toBe(2025);
  });

  test("comes sooner for a part that ages faster, whose effective lifespan is shorter", () => {
    const worn = project({ ...state, rate: 2 }, life, "HIGH", AS_OF, model);
    expect(worn.effectiveLifespanYears).toBe(10.5);
    expect(worn.projectedFailureOn).toBe("2029-01-11"); // in 1289.7 days
  });

  test("stays within the calendar for a part of enormous life", () => {
    const eternal = { ...life, overrideLifespan: 100_000 };
    expect(project(state, eternal, "LOW", AS_OF, model).projectedFailureOn).toBe("9999-12-31");
  });
});

describe("the score through ageing alone", () => {
  test("is the score of an older part with the same evidence", () => {
    expect(scoreByAgeing(state, life, 0, model)).toBe(0.46);
    expect(scoreByAgeing(state, life, 365, model)).toBe(0.5); // 0.499972
    expect(scoreByAgeing({ ...state, evidenceRatio: 1.8 }, life, 3650, model)).toBe(0.89); // 0.888306
  });

  test("never passes 0.99", () => {
    expect(scoreByAgeing(state, life, 36_500, model)).toBe(0.99);
  });
});

// Rule: tier-bounds
test("tiers begin at 0.78 and 0.52", () => {
  expect([0.99, 0.78, 0.77, 0.52, 0.51, 0].map(tierOf)).toEqual([
    "CRITICAL",
    "CRITICAL",
    "WARNING",
    "WARNING",
    "GOOD",
    "GOOD",
  ]);
});

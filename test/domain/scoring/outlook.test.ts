import { describe, expect, test } from "bun:test";
import {
  cumulativeRiskOverScorePeriods,
  daysToEvenOdds,
  evenOddsFailureDay,
  failureProbability,
  type Outlook,
  projectFailure,
  riskWithinScoredPeriod,
  scoreByAging,
  scoredPeriodDays,
} from "../../../src/domain/scoring/outlook.ts";
import { tierOf } from "../../../src/domain/scoring/risk-tier.ts";
import { AS_OF, burner, knowledge } from "./histories.ts";

const { model } = knowledge;
/** A burner of 20 years: median 21, η = 24.315831, (20/η)^2.5 = 0.613552. */
const outlook: Outlook = { ...burner(), weibullShape: 2.5 };

describe("the probability of failing within a window", () => {
  test("is conditional on having reached the age", () => {
    expect(failureProbability(outlook, 365, model)).toBeCloseTo(0.0764566, 7); // 1 - exp(0.613552 - 0.693091)
    expect(failureProbability(outlook, 0, model)).toBe(0);
  });

  test("has its hazard multiplied by the evidence", () => {
    const bad = { ...outlook, hazardRatio: 1.8 };
    expect(failureProbability(bad, 365, model)).toBeCloseTo(0.1333911, 7);
  });

  test("adds an acute hazard over ninety days and no longer", () => {
    const alarmed = { ...outlook, acuteHazard: 0.3 };
    const added = (days: number) =>
      Math.log1p(-failureProbability(outlook, days, model)) -
      Math.log1p(-failureProbability(alarmed, days, model));
    expect([0, 30, 90, 365].map((days) => Number(added(days).toFixed(12)))).toEqual([0, 0.1, 0.3, 0.3]);
  });
});

describe("a score", () => {
  test("is the probability of failing within five years as risky as the coming one", () => {
    expect(cumulativeRiskOverScorePeriods(0.26, model)).toBeCloseTo(0.778099, 6); // CRITICAL from 26 % a year
    expect(cumulativeRiskOverScorePeriods(0.14, model)).toBeCloseTo(0.529573, 6); // WARNING from 14 %
    expect([0, 1].map((risk) => cumulativeRiskOverScorePeriods(risk, model))).toEqual([0, 1]);
  });

  test("has a period of a year, or of a quarter of a life under four years", () => {
    expect(scoredPeriodDays(outlook, model)).toBe(365);
    const brief = { ...outlook, scaleYears: outlook.scaleYears / 21 };
    expect(scoredPeriodDays(brief, model)).toBeCloseTo(365.25 / 4, 9);
    expect(scoredPeriodDays({ ...brief, rate: 2 }, model)).toBeCloseTo(365.25 / 8, 9);
    expect(riskWithinScoredPeriod(brief, model)).toBe(failureProbability(brief, 365.25 / 4, model));
  });
});

describe("the projected failure", () => {
  // Rule: projected-failure
  test("is the first day by which the part fails with a probability of one half", () => {
    // η · (0.613552 + ln 2)^0.4 = 27.061977 years, 2579.4 days from now
    expect(evenOddsFailureDay(outlook, AS_OF)).toBe("2032-07-24");
    expect(projectFailure(outlook, "HIGH", AS_OF, model).projectedFailureYear).toBe(2032);
    expect(failureProbability(outlook, 2579, model)).toBeLessThan(0.5);
    expect(failureProbability(outlook, 2580, model)).toBeGreaterThanOrEqual(0.5);
  });

  test("is earlier with adverse evidence, and ignores acute hazards", () => {
    expect(daysToEvenOdds({ ...outlook, hazardRatio: 2 })).toBeCloseTo(1432.974, 3); // (0.613552 + ln 2 / 2)^0.4
    expect(daysToEvenOdds({ ...outlook, acuteHazard: 5 })).toBe(daysToEvenOdds(outlook));
  });

  // Rule: projected-range
  test("has a range of a share of the effective lifespan, by confidence", () => {
    const range = (confidence: "HIGH" | "MEDIUM" | "LOW") =>
      projectFailure(outlook, confidence, AS_OF, model).projectedFailureRange;
    // 21 years · 4, 8 and 12 % are 307, 614 and 920 days either way
    expect(range("HIGH")).toEqual({ earliest: 2031, latest: 2033, confidencePct: 98 });
    expect(range("MEDIUM")).toEqual({ earliest: 2030, latest: 2034, confidencePct: 97 });
    expect(range("LOW")).toEqual({ earliest: 2030, latest: 2035, confidencePct: 96 });
  });

  // Rule: projected-range
  test("has a range that does not start before this year", () => {
    const lost = { ...outlook, hazardRatio: 10, effectiveAgeYears: 50 };
    expect(projectFailure(lost, "LOW", AS_OF, model).projectedFailureRange.earliest).toBe(2025);
  });

  test("is earlier for a part that ages faster, whose effective lifespan is shorter", () => {
    const worn = { ...outlook, rate: 2 };
    expect(projectFailure(worn, "HIGH", AS_OF, model).effectiveLifespanYears).toBeCloseTo(10.5, 12);
    expect(evenOddsFailureDay(worn, AS_OF)).toBe("2029-01-11"); // in 1289.7 days
  });

  test("stays within the calendar for a very long life", () => {
    const eternal = { ...outlook, scaleYears: 100_000 };
    expect(evenOddsFailureDay(eternal, AS_OF)).toBe("9999-12-31");
    expect(projectFailure(eternal, "LOW", AS_OF, model).projectedFailureRange.latest).toBe(9999);
  });
});

describe("the score through aging alone", () => {
  test("is the score of an older part with the same evidence", () => {
    expect(scoreByAging(outlook, 0, model)).toBe(0.33);
    const later = { ...outlook, effectiveAgeYears: 20 + 3650 / 365.25 };
    expect(scoreByAging(outlook, 3650, model)).toBe(scoreByAging(later, 0, model));
    expect(scoreByAging({ ...outlook, hazardRatio: 1.8 }, 0, model)).toBe(0.51); // 0.511217
  });

  test("stops at the age that one in a thousand reaches", () => {
    const old = scoreByAging(outlook, 36_500, model);
    expect(scoreByAging(outlook, 73_000, model)).toBe(old);
    expect(old).toBe(0.81);
  });

  test("never exceeds 0.99", () => {
    expect(scoreByAging({ ...outlook, hazardRatio: 10 }, 36_500, model)).toBe(0.99);
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

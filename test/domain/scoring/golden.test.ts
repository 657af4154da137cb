import { describe, expect, test } from "bun:test";
import {
  daysToEvenOdds,
  effectiveLifespan,
  failureProbability,
} from "../../../src/domain/scoring/outlook.ts";
import type { RiskTier } from "../../../src/domain/scoring/scoring-types.ts";
import { goldenCases, scoreGolden } from "./golden.ts";
import { knowledge } from "./histories.ts";

describe("an independent implementation's scores are reproduced", () => {
  // Rule: independent-model
  for (const golden of goldenCases)
    test(`${golden.name}, ${golden.expected.length} components`, () => {
      const found = scoreGolden(golden);
      expect(found.size).toBe(golden.expected.length);
      for (const expected of golden.expected) {
        const score = found.get(`${expected.appliance}/${expected.component_def_id}`)!;
        const { weibullShape } = knowledge.component(expected.component_def_id);
        const outlook = { ...score, weibullShape };
        const within = (days: number) => failureProbability(outlook, days, knowledge.model);
        expect(score.riskScore).toBe(expected.risk_score);
        expect(score.riskTier).toBe(expected.risk_tier as RiskTier);
        expectNear(score.prior, expected.prior, 1e-6);
        expectNear(score.hazardRatio, expected.hazard_ratio, 1e-6);
        expectNear(score.effectiveAgeYears, expected.effective_age_years, 1e-4);
        expectNear(effectiveLifespan(outlook), expected.effective_lifespan_years, 1e-4);
        expectNear(within(90), expected.failure_probability_90d, 1e-6);
        expectNear(within(365), expected.failure_probability_365d, 1e-6);
        expectNear(daysToEvenOdds(outlook), expected.days_to_even_odds, 0.1);
      }
    });
});

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThan(tolerance);
}

import { describe, expect, test } from "bun:test";
import { failureProbability, project } from "../../../src/domain/scoring/projection.ts";
import type { ApplianceHistory, BrandTier, RiskTier } from "../../../src/domain/scoring/types.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import cases from "../../fixtures/golden-scores.json" with { type: "json" };
import { appliance, event, knowledge, property, scores } from "./histories.ts";

type GoldenAppliance = {
  type_id: string;
  install_year: number;
  brand_tier: string;
  usage: number;
  unit: string | null;
  events: { event_type: string; date: string; component?: string; condition_after?: string }[];
};

describe("an independent implementation's scores are reproduced", () => {
  // Rule: independent-model
  for (const golden of cases)
    test(`${golden.name}, ${golden.expected.length} components`, () => {
      const appliances = (golden.property.appliances as GoldenAppliance[]).map(toHistory);
      const claims = golden.property.claims.map((claim) => ({
        claimType: claim.claim_type,
        dateOfLoss: claim.date_of_loss,
        status: claim.status as "open" | "closed" | "denied",
      }));
      const history = property(appliances, { state: golden.property.state, claims });
      const found = scores(history, golden.as_of);
      expect(found.size).toBe(golden.expected.length);
      for (const expected of golden.expected) {
        const { brandTier } = appliances[expected.appliance]!;
        const score = found.get(`${expected.appliance}/${expected.component_def_id}`)!;
        const life = { ...knowledge.component(expected.component_def_id), brandTier, overrideLifespan: null };
        const within = (days: number) => failureProbability(score, life, days, knowledge.model);
        const projection = project(score, life, score.confidence, golden.as_of, knowledge.model);
        expect(score.riskScore).toBe(expected.risk_score);
        expect(score.riskTier).toBe(expected.risk_tier as RiskTier);
        expectNear(score.probability, expected.p, 1e-6);
        expectNear(score.priorAgeYears, expected.virtual_age_years, 1e-4);
        expectNear(projection.effectiveLifespanYears, expected.effective_lifespan_years, 1e-4);
        expectNear(within(90), expected.failure_probability_90d, 1e-6);
        expectNear(within(365), expected.failure_probability_365d, 1e-6);
      }
    });
});

function toHistory(golden: GoldenAppliance, index: number): ApplianceHistory {
  return appliance(golden.type_id, {
    id: String(index),
    unitId: golden.unit,
    brandTier: golden.brand_tier as BrandTier,
    installYear: golden.install_year,
    usageIntensity: golden.usage,
    events: golden.events.map((given) =>
      event(given.event_type as EventType, given.date, {
        componentId: given.component === undefined ? null : `${index}/${given.component}`,
        conditionAfter: (given.condition_after ?? null) as "good" | "fair" | "poor" | null,
      }),
    ),
  });
}

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThan(tolerance);
}

import { describe, expect, test } from "bun:test";
import {
  daysToEvenOdds,
  effectiveLifespan,
  failureProbability,
} from "../../../src/domain/scoring/outlook.ts";
import { recordsSince } from "../../../src/domain/scoring/record.ts";
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
      const { state } = golden.property;
      const given = (golden.property as { records_since?: string }).records_since;
      const eventDays = appliances.flatMap(({ events }) => events.map(({ date }) => date));
      const since = given ?? recordsSince(golden.as_of, eventDays, knowledge.model);
      const history = property(appliances, { state, claims, recordsSince: since });
      const found = scores(history, golden.as_of);
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

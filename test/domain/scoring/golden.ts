import { recordsSince } from "../../../src/domain/scoring/records-since.ts";
import type { ApplianceHistory, BrandTier } from "../../../src/domain/scoring/types.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import cases from "../../fixtures/golden-scores.json" with { type: "json" };
import { appliance, event, knowledge, property, scores } from "./histories.ts";

/* Properties with scores and plans by an independent implementation. */

export type GoldenCase = (typeof cases)[number];
export const goldenCases = cases;

type GoldenAppliance = {
  type_id: string;
  install_year: number;
  brand_tier: string;
  usage: number;
  unit: string | null;
  events: { event_type: string; date: string; component?: string; condition_after?: string }[];
};

/** Scores a case. A component's id is its appliance's number and its definition's id. */
export function scoreGolden(golden: GoldenCase) {
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
  return scores(property(appliances, { state, claims, recordsSince: since }), golden.as_of);
}

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

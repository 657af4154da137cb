import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import type { ApplianceHistory, BrandTier } from "../../../src/domain/scoring/scoring-types.ts";
import { findServiceRecordStart } from "../../../src/domain/scoring/service-record-start.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import type { Day } from "../../../src/domain/time.ts";
import cases from "../../fixtures/golden-scores.json" with { type: "json" };
import { appliance, event, knowledge, property } from "./histories.ts";

/* Properties with scores and plans by an independent implementation. */

export const goldenCases = cases;

type GoldenAppliance = {
  type_id: string;
  /** Null for the building's year. */
  install_year: number | null;
  brand_tier: string;
  usage: number;
  unit: string | null;
  events: { event_type: string; date: string; component?: string; condition_after?: string }[];
  /** Own lifespans by component definition. */
  overrides?: Record<string, number | undefined>;
};

type GoldenProperty = {
  state: string;
  claims: readonly { claim_type: string; date_of_loss: string; status: string }[];
  appliances: readonly unknown[];
  records_since?: string;
  year_built?: number;
};

/** Scores a case, with its working. A component's id is its appliance's number and its definition's id. */
export const scoreGolden = (golden: GoldenCase) =>
  scoreProperty(knowledge, goldenHistory(golden), golden.as_of, { explain: true });

type GoldenCase = { as_of: string; property: GoldenProperty };

/** Returns the history of a case. */
export function goldenHistory(golden: GoldenCase) {
  const { state, records_since, year_built: yearBuilt = null } = golden.property;
  const appliances = (golden.property.appliances as GoldenAppliance[]).map((given, index) =>
    toHistory(given, index, yearBuilt),
  );
  const claims = golden.property.claims.map((claim) => ({
    claimType: claim.claim_type,
    dateOfLoss: claim.date_of_loss,
    status: claim.status as "open" | "closed" | "denied",
  }));
  const eventDays = appliances.flatMap(({ events }) => events.map(({ date }) => date));
  const since = records_since ?? recordStartOf(golden.as_of, eventDays);
  return property(appliances, { state, claims, recordsSince: since, yearBuilt });
}

/** Returns the start of a record with events on the days, in any order. */
export function recordStartOf(registeredOn: Day, eventDays: readonly Day[]): Day {
  const steps = findServiceRecordStart(registeredOn, knowledge.model);
  let step = steps.next();
  while (!step.done) {
    const { from, before } = step.value;
    step = steps.next(eventDays.filter((day) => from <= day && day < before).sort()[0]);
  }
  return step.value;
}

function toHistory(golden: GoldenAppliance, index: number, yearBuilt: number | null): ApplianceHistory {
  const history = appliance(golden.type_id, {
    id: String(index),
    unitId: golden.unit,
    brandTier: golden.brand_tier as BrandTier,
    installYear: golden.install_year ?? yearBuilt!,
    installYearBasis: golden.install_year === null ? "year_built" : "given",
    usageIntensity: golden.usage,
    events: golden.events.map((given) =>
      event(given.event_type as EventType, given.date, {
        componentId: given.component === undefined ? null : `${index}/${given.component}`,
        conditionAfter: (given.condition_after ?? null) as "good" | "fair" | "poor" | null,
      }),
    ),
  });
  for (const component of history.components)
    component.overrideLifespan = golden.overrides?.[component.defId] ?? null;
  return history;
}

import fc from "fast-check";
import { tierOfHundredths } from "../../../src/domain/component.ts";
import { PriceList } from "../../../src/domain/costs/price-list.ts";
import {
  type AssessedComponent,
  type Assessment,
  AssessmentAccumulator,
} from "../../../src/domain/figures/property-assessment.ts";
import { scoredComponentAgedScore } from "../../../src/domain/scoring/score-projections.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";

export const knowledge = embeddedKnowledge();
/** The costs of the knowledge base, without location factors. */
export const prices = new PriceList(knowledge, { locationFactors: null, priceLevel: 1 });

export type Given = Partial<AssessedComponent>;

/** Returns a component with a score in hundredths; by default new and without evidence. */
export function part(defId: string, riskScore: number, given: Given = {}): AssessedComponent {
  const { typeId } = knowledge.component(defId);
  return {
    id: `C_${defId}`,
    partnerId: "PARTNER_1",
    propertyId: "P_1",
    applianceId: `A_${typeId}`,
    seq: 1,
    defId,
    installYear: 2005,
    installYearGiven: false,
    lastReplaced: null,
    lastServiced: null,
    overrideLifespan: null,
    expectedCostCents: 0,
    ownPlannedCents: null,
    ownFailedCents: null,
    past: null,
    riskScore,
    riskTier: tierOfHundredths(riskScore),
    confidence: "LOW",
    announcedTier: "GOOD",
    lifeFactor: 1,
    effectiveAgeYears: 0,
    rate: 1,
    hazardRatio: 1,
    acuteHazard: 0,
    scoredOn: "2025-07-01",
    trendScore: null,
    rescoredAt: null,
    createdAt: 0,
    typeId,
    size: null,
    unitId: null,
    state: "TX",
    unitCount: 0,
    grossAreaSqft: null,
    stories: null,
    brandTier: "standard",
    ...given,
  };
}

/** Returns the components of a whole appliance, all with one score. */
export function whole(typeId: string, riskScore: number, given: Given = {}): AssessedComponent[] {
  return knowledge.type(typeId).components.map(({ id }) => part(id, riskScore, given));
}

/** Returns a component of an age in years of normal use, with the score of its life and evidence. */
export function aged(defId: string, effectiveAgeYears: number, given: Given = {}): AssessedComponent {
  const component = part(defId, 0, { effectiveAgeYears, ...given });
  const riskScore = Math.round(scoredComponentAgedScore(knowledge, component, component.brandTier, 0) * 100);
  return { ...component, riskScore, riskTier: tierOfHundredths(riskScore) };
}

/** Components of any kind, age and evidence, each of its own appliance. */
export const anyComponents = fc
  .array(
    fc.record({
      defId: fc.constantFrom(...knowledge.components.keys()),
      effectiveAgeYears: fc.double({ min: 0, max: 60, noNaN: true }),
      rate: fc.double({ min: 0.6, max: 2.4, noNaN: true }),
      hazardRatio: fc.double({ min: 0.1, max: 10, noNaN: true }),
      acuteHazard: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
      brandTier: fc.constantFrom("premium" as const, "standard" as const, "budget" as const),
      overrideLifespan: fc.option(fc.integer({ min: 1, max: 40 })),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ defId, effectiveAgeYears, ...given }, i) =>
      aged(defId, effectiveAgeYears, { id: `C_${i}`, applianceId: `A_${i}`, ...given }),
    ),
  );

/** Adds components to an accumulator, and returns it. */
export function gather<C, G extends { add(component: C): void }>(gatherer: G, components: readonly C[]): G {
  for (const component of components) gatherer.add(component);
  return gatherer;
}

/** Returns the assessment of the components of one property. */
export const assess = (components: readonly AssessedComponent[]): Assessment =>
  gather(new AssessmentAccumulator(prices), components).assessment;

import fc from "fast-check";
import { tierOfHundredths } from "../../../src/domain/component.ts";
import {
  type AssessedComponent,
  type Assessment,
  AssessmentAccumulator,
} from "../../../src/domain/figures/assessment.ts";
import { agedScore } from "../../../src/domain/projections.ts";
import { loadKnowledge } from "../../../src/knowledge/load.ts";

export const knowledge = loadKnowledge();

export type Given = Partial<AssessedComponent>;

/** A component of an appliance "A" with that score in hundredths; new, and with no evidence, unless told. */
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
    lastReplaced: null,
    lastServiced: null,
    overrideLifespan: null,
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
    brandTier: "standard",
    ...given,
  };
}

/** Every component of a whole appliance, all with that score. */
export function whole(typeId: string, riskScore: number, given: Given = {}): AssessedComponent[] {
  return knowledge.type(typeId).components.map(({ id }) => part(id, riskScore, given));
}

/** A component of that age in years of normal use, with the score that its life and evidence give it. */
export function aged(defId: string, effectiveAgeYears: number, given: Given = {}): AssessedComponent {
  const component = part(defId, 0, { effectiveAgeYears, ...given });
  const riskScore = Math.round(agedScore(knowledge, component, component.brandTier, 0) * 100);
  return { ...component, riskScore, riskTier: tierOfHundredths(riskScore) };
}

/** Components of any kind, age and evidence, each of an appliance of its own. */
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

/** Lets something that gathers see components, one after another. */
export function gather<C, G extends { add(component: C): void }>(gatherer: G, components: readonly C[]): G {
  for (const component of components) gatherer.add(component);
  return gatherer;
}

/** The assessment of the components as those of one property. */
export const assess = (components: readonly AssessedComponent[]): Assessment =>
  gather(new AssessmentAccumulator(knowledge), components).assessment;

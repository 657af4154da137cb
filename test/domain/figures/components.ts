import fc from "fast-check";
import { tierOfHundredths } from "../../../src/domain/component.ts";
import type { AssessedComponent } from "../../../src/domain/figures/assessment.ts";
import { posterior } from "../../../src/domain/scoring/bayes.ts";
import { brandedMedian } from "../../../src/domain/scoring/projection.ts";
import { cumulativeProbability, scaleFromMedian } from "../../../src/domain/scoring/weibull.ts";
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
    probability: riskScore / 100,
    priorAgeYears: 0,
    rate: 1,
    evidenceRatio: 1,
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
export function aged(defId: string, priorAgeYears: number, given: Given = {}): AssessedComponent {
  const def = knowledge.component(defId);
  const component = part(defId, 0, { priorAgeYears, ...given });
  const scale = scaleFromMedian(brandedMedian({ ...def, ...component }, knowledge.model), def.weibullShape);
  const prior = cumulativeProbability(priorAgeYears, scale, def.weibullShape);
  const probability = posterior(prior, component.evidenceRatio);
  const riskScore = Math.min(Math.round(probability * 100), 99);
  return { ...component, probability, riskScore, riskTier: tierOfHundredths(riskScore) };
}

/** Components of any kind, age and evidence, each of an appliance of its own. */
export const anyComponents = fc
  .array(
    fc.record({
      defId: fc.constantFrom(...knowledge.components.keys()),
      priorAgeYears: fc.double({ min: 0, max: 60, noNaN: true }),
      rate: fc.double({ min: 0.6, max: 2.4, noNaN: true }),
      evidenceRatio: fc.double({ min: 0.2, max: 6, noNaN: true }),
      brandTier: fc.constantFrom("premium" as const, "standard" as const, "budget" as const),
      overrideLifespan: fc.option(fc.integer({ min: 1, max: 40 })),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ defId, priorAgeYears, ...given }, i) =>
      aged(defId, priorAgeYears, { id: `C_${i}`, applianceId: `A_${i}`, ...given }),
    ),
  );

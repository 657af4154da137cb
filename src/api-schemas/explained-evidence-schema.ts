import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { Explanation } from "../domain/explanation/explanation.ts";
import type { ExplainedEvidence } from "../domain/explanation/explanation-of-evidence.ts";
import type { ModelCorrections } from "../domain/scoring/score-model-corrections.ts";
import type { Evidence } from "../domain/scoring/scoring-types.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  daySchema,
  enumSchema,
  numberSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { sourceKind, sourceToken } from "./explained-life-schema.ts";

/* The evidence in an explanation. Values are not rounded. */

const ENDED_BY: Readonly<Record<Evidence["kind"], string | null>> = {
  emergency_repair: "replacement of the component",
  repair: "replacement of the component",
  condition: "a newer condition or replacement of the component",
  inspection: "replacement of the component",
  keyword: "replacement of the component",
  hazard_brand: null,
  era: "replacement of the component",
  smart_event: "repair or replacement of the component, or a normal sensor reading",
  claim: "replacement of the component",
  cascade: "repair or replacement of the other component",
};

export const evidence = objectSchema({
  kind: enumSchema<Evidence["kind"]>(
    Object.keys(ENDED_BY) as Evidence["kind"][],
    "Kind of evidence",
    "emergency_repair",
  ),
  subject: textSchema(
    "Event type, condition, word group, brand, era, claim type or component that it is based on",
    "poor",
  ),
  label: textSchema("Description", "Condition poor"),
  date: daySchema("Date of the event; null if it has none").orNull(),
  base_ratio: numberSchema("Initial hazard ratio", 2.5),
  remaining: numberSchema(
    "Share of the effect that remains; for a cascade, the severity of the other component",
    0.5,
  ),
  weight: numberSchema(
    "Exponent of the ratio; below 1 if the event names no component or the fault was repaired",
    1,
  ),
  ratio: numberSchema("Current hazard ratio: (1 + (base_ratio − 1) · remaining) ^ weight", 1.75),
  strength: numberSchema("Exponent from calibration; 1 without calibration", 1),
  times: wholeNumberSchema("Number of events on the same day with this evidence", 1),
  factor: numberSchema(
    "Factor on the hazard: ratio ^ (strength · times); 1 for a sensor event, which adds to it",
    1.75,
  ),
  acute_hazard: numberSchema("Acute hazard added by a sensor event; 0 for other evidence", 0),
  upstream_score: numberSchema("For a cascade: the other component's score without cascades", 0.81).orNull(),
  ends_on: daySchema("First day without effect; null if the evidence does not expire").orNull(),
  ended_by: textSchema("Event that ends it earlier", "replacement of the component").orNull(),
  source: sourceToken,
  source_kind: sourceKind,
});
export type EvidenceJson = JsonOf<typeof evidence>;

export const serializeEvidence = evidence.serializer((evidencePart: ExplainedEvidence) => ({
  kind: evidencePart.kind,
  subject: evidencePart.subject,
  label: evidencePart.label,
  date: evidencePart.on,
  base_ratio: evidencePart.baseRatio,
  remaining: evidencePart.remaining,
  weight: evidencePart.weight,
  ratio: evidencePart.ratio,
  strength: evidencePart.strength,
  times: evidencePart.times,
  factor: evidencePart.factor,
  acute_hazard: evidencePart.hazard ?? 0,
  upstream_score: evidencePart.upstreamScore ?? null,
  ends_on: evidencePart.endsOn,
  ended_by: ENDED_BY[evidencePart.kind],
  source: evidencePart.provenance.source,
  source_kind: evidencePart.provenance.kind,
}));

export const hazard = objectSchema({
  strength_condition: numberSchema(
    "Exponent from calibration on the ratio of a condition; 1 without calibration",
    1,
  ),
  strength_repairs: numberSchema(
    "Exponent from calibration on the ratios of repairs and emergency repairs",
    1,
  ),
  most_repairs: wholeNumberSchema("Number of latest repairs that count", 3),
  most_claims: wholeNumberSchema("Number of the property's strongest claims that count", 3),
  own_product: numberSchema("Product of the factors of all evidence except cascades", 1.75),
  cascades_product: numberSchema("Product of the cascades' factors, before the limit", 1),
  cascades_highest: numberSchema("Limit of cascades_product", 2.5),
  cascades: numberSchema("cascades_product within its limit", 1),
  product: numberSchema("own_product · cascades", 1.75),
  lowest: numberSchema("Lower limit of the product", 0.1),
  highest: numberSchema("Upper limit of the product", 10),
  hazard_ratio: numberSchema("Hazard ratio θ: the product within the limits", 1.75),
  acute_hazard: numberSchema("Acute hazard Λ: the sum of active sensor alarms", 0),
  acute_span_days: numberSchema("Days after which an acute hazard expires", 90),
});

export const serializeHazard = hazard.serializer(
  ({ product, score }: Explanation, { model }: Knowledge, { strength }: ModelCorrections) => ({
    strength_condition: strength.condition,
    strength_repairs: strength.repairs,
    most_repairs: model.evidence.repair.counted,
    most_claims: model.evidence.claims.counted,
    own_product: product.own,
    cascades_product: product.cascadesUnlimited,
    cascades_highest: model.cascade.highestProduct,
    cascades: product.cascades,
    product: product.unlimited,
    lowest: model.evidence.lowestProduct,
    highest: model.evidence.highestProduct,
    hazard_ratio: product.hazardRatio,
    acute_hazard: score.acuteHazard,
    acute_span_days: model.evidence.smartEvent.spanDays,
  }),
);

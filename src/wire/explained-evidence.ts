import type { EvidencePart } from "../domain/explanation/evidence-parts.ts";
import type { Explanation } from "../domain/explanation/explanation.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Corrections } from "../domain/scoring/corrections.ts";
import type { Evidence } from "../domain/scoring/types.ts";
import { sourceKind, sourceToken } from "./explained-life.ts";
import { day, enumOf, number, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

/* What speaks for and against a component, as an explanation shows it. Nothing is rounded. */

const ENDED_BY: Readonly<Record<Evidence["kind"], string | null>> = {
  emergency_repair: "replacement of the component",
  repair: "replacement of the component",
  condition: "a newer condition or replacement of the component",
  inspection: "replacement of the component",
  keyword: "replacement of the component",
  hazard_brand: null,
  smart_event: "repair or replacement of the component, or a normal sensor reading",
  claim: "replacement of the component",
  cascade: "repair or replacement of the other component",
};

export const evidenceForm = object({
  kind: enumOf<Evidence["kind"]>(
    Object.keys(ENDED_BY) as Evidence["kind"][],
    "What it is",
    "emergency_repair",
  ),
  subject: text(
    "What it rests on: an event type, condition, word group, make, claim type or component",
    "poor",
  ),
  label: text("The same in words", "Condition poor"),
  date: day("When it was; null for what has no date").orNull(),
  base_ratio: number("Hazard ratio in full", 2.5),
  remaining: number("What fading has left of it; of a cascade, how bad the other component is", 0.5),
  weight: number("Power on the ratio where nobody named the component, or a fault was mended", 1),
  ratio: number("Hazard ratio now: (1 + (base_ratio − 1) · remaining) ^ weight", 1.75),
  strength: number("Power that calibration puts on it; 1 without", 1),
  times: whole("So many events that say this of one day, each by a note of its own", 1),
  factor: number(
    "What it multiplies the hazard by: ratio ^ (strength · times); 1 for a sensor's event, which adds",
    1.75,
  ),
  acute_hazard: number("What a sensor's event adds to the acute hazard; 0 for all else", 0),
  upstream_score: number("Of a cascade: the other component's score without cascade", 0.81).orNull(),
  ends_on: day("First day on which it says nothing any more; null for what does not fade").orNull(),
  ended_by: text("Event that ends it earlier", "replacement of the component").orNull(),
  source: sourceToken,
  source_kind: sourceKind,
});
export type EvidenceJson = WireOf<typeof evidenceForm>;

export const evidenceView = evidenceForm.serializer((one: EvidencePart) => ({
  kind: one.kind,
  subject: one.subject,
  label: one.label,
  date: one.on,
  base_ratio: one.baseRatio,
  remaining: one.remaining,
  weight: one.weight,
  ratio: one.ratio,
  strength: one.strength,
  times: one.times,
  factor: one.factor,
  acute_hazard: one.hazard ?? 0,
  upstream_score: one.upstreamScore ?? null,
  ends_on: one.endsOn,
  ended_by: ENDED_BY[one.kind],
  source: one.provenance.source,
  source_kind: one.provenance.kind,
}));

export const hazardForm = object({
  strength_condition: number("Power that calibration puts on the ratio of a condition; 1 without", 1),
  strength_repairs: number("Power that it puts on those of repairs and emergency repairs", 1),
  most_repairs: whole("So many of the last repairs count", 3),
  most_claims: whole("So many of the property's strongest claims count", 3),
  own_product: number("Product of the factors of all evidence but cascades", 1.75),
  cascades_product: number("Product of the cascades' factors, before its limit", 1),
  cascades_highest: number("Its limit", 2.5),
  cascades: number("The same within its limit", 1),
  product: number("own_product · cascades", 1.75),
  lowest: number("Lower limit of the product", 0.1),
  highest: number("Upper limit of the product", 10),
  hazard_ratio: number("Hazard ratio θ: the product within its limits", 1.75),
  acute_hazard: number("Acute hazard Λ: what sensors report, added up", 0),
  acute_span_days: number("Days within which an acute hazard passes", 90),
});
export type HazardJson = WireOf<typeof hazardForm>;

export const hazardView = hazardForm.serializer(
  ({ product, score }: Explanation, { model }: Knowledge, { strength }: Corrections) => ({
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

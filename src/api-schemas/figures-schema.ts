import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { elevatedCostExposureOf } from "../domain/figures/elevated-cost-exposure.ts";
import { type Assessment, AssessmentAccumulator } from "../domain/figures/property-assessment.ts";
import { type Grade, METHODOLOGY, propertyConditionOf } from "../domain/figures/property-condition.ts";
import {
  fullReplacementReserve,
  RESERVE_MONTHS,
  type Reserve,
  ReserveAccumulator,
} from "../domain/figures/reserve.ts";
import { DueCostSum } from "../domain/planning/due-cost-sum.ts";
import type { PlanContext } from "../domain/planning/planned-appliance.ts";
import type { Property } from "../domain/property.ts";
import { inOneStep } from "../domain/steps/computation-steps.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { assumptionsField } from "./assumptions-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  idSchema,
  instantSchema,
  integerSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { facilityConditionField, serializeFacilityCondition } from "./facility-condition-schema.ts";
import type { FigureContext, FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { figuresSchemaWithRecalculating } from "./recalculating-schema.ts";
import { rating, serializeTierCounts, tierCounts } from "./score-schema.ts";

/* The figures of one property, calculated from the property and its components. */

export const calculatedAt = instantSchema("When the figures were calculated");
export const conditionIndexField = integerSchema("Condition index, 1 (worst) to 100", 84, {
  minimum: 1,
  maximum: 100,
});
export const grade = enumSchema<Grade>(["A", "B", "C", "D", "F"], "Letter grade of the condition index", "B");
export const assessedCount = wholeNumberSchema("Number of components assessed", 90);
export const subject = { property_id: idSchema("P", "The property"), name: property.fields.name };
export const serializeSubject = ({ id, name }: Property) => ({ property_id: id, name });

export const deferredDescription = "Planned replacement cost of the CRITICAL and WARNING components";
const reactiveDescription = "Cost of the CRITICAL and WARNING components after failure, all failing at once";
export const totalDeferred = usdSchema(deferredDescription, 14_500);
export const totalReactive = usdSchema(reactiveDescription, 39_000);
export const deferredPerDoor = usdSchema("Deferred maintenance per unit", 604.17);
export const recommendedReserve = usdSchema("Recommended monthly contribution per unit", 21.4);

/** Returns the calculation of the recommended monthly contribution per unit over the next 12 months. */
export const recommendedReserveJsonGatherer = (prices: PriceList) => new ReserveAccumulator(prices, 12);

export const serializeRecommendedReserve = (collector: ReserveAccumulator, unitCount: number): number =>
  jsonUsdFromCents(collector.reserve(unitCount).perUnitPerMonth);

const span = recordSchema("Reserve", {
  label: textSchema("Display name", "12-month reserve"),
  per_unit_per_month: usdSchema("Monthly contribution per unit", 21.4),
  per_unit_per_year: usdSchema("Yearly contribution per unit", 256.8),
  property_per_month: usdSchema("Monthly contribution for the property", 513.6),
});

const serializeReserveSpan = span.serializer((label: string, reserve: Reserve) => ({
  label,
  per_unit_per_month: jsonUsdFromCents(reserve.perUnitPerMonth),
  per_unit_per_year: jsonUsdFromCents(reserve.perUnitPerYear),
  property_per_month: jsonUsdFromCents(reserve.propertyPerMonth),
}));

const reserve = objectSchema({
  ...subject,
  unit_count: property.fields.unit_count,
  unit_label: property.fields.unit_label,
  total_deferred: totalDeferred,
  reserves: objectSchema({
    "12_month": span.describedAs("Over 12 months"),
    "24_month": span.describedAs("Over 24 months"),
    "36_month": span.describedAs("Over 36 months"),
    "10_year_full_replacement": span.describedAs("The full replacement cost value over 10 years"),
  }).describedAs("Recommended contributions, by horizon"),
  generated_at: calculatedAt,
});
export type ReserveJson = JsonOf<typeof reserve>;

type Reserves = {
  assessment: AssessmentAccumulator;
  spans: Record<(typeof RESERVE_MONTHS)[number], ReserveAccumulator>;
};

const serializeReserve = reserve.serializer(
  (property: Property, { assessment, spans }: Reserves, now: Instant) => {
    const { unitCount } = property;
    const totals = assessment.assessment;
    const over = (months: (typeof RESERVE_MONTHS)[number]) =>
      serializeReserveSpan(`${months}-month reserve`, spans[months].reserve(unitCount));
    return {
      ...serializeSubject(property),
      unit_count: unitCount,
      unit_label: property.unitLabel,
      total_deferred: jsonUsdFromCents(elevatedCostExposureOf(totals).deferredCents),
      reserves: {
        "12_month": over(12),
        "24_month": over(24),
        "36_month": over(36),
        "10_year_full_replacement": serializeReserveSpan(
          "10-year full replacement",
          fullReplacementReserve(totals.rcvCents, unitCount),
        ),
      },
      generated_at: isoTextOfInstant(now),
    };
  },
);
export const reserveReply = schemaWithPartner(figuresSchemaWithRecalculating(reserve.and(assumptionsField)));

/** Creates the accumulator of reserve contributions over components. */
export function reserveSchemaAccumulator(prices: PriceList): FigureSchemaAccumulator<JsonOf<typeof reserve>> {
  const assessment = new AssessmentAccumulator(prices);
  const over = (months: number) => new ReserveAccumulator(prices, months);
  const spans: Reserves["spans"] = { 12: over(12), 24: over(24), 36: over(36) };
  return {
    add(component) {
      assessment.add(component);
      for (const months of RESERVE_MONTHS) spans[months].add(component);
      return 0;
    },
    write: (property, { now }) => inOneStep(() => serializeReserve(property, { assessment, spans }, now)),
  };
}

const condition = objectSchema({
  ...subject,
  condition_score: conditionIndexField,
  grade,
  rating,
  components_assessed: assessedCount,
  ...tierCounts,
  methodology: textSchema("How the score is calculated", "Condition index"),
  ...facilityConditionField,
  retired_at: property.fields.retired_at.describedAs(
    "Day from which the property is retired; score, grade and rating then assess nothing, as of a property without components",
  ),
  assessed_at: calculatedAt,
});
export type ConditionJson = JsonOf<typeof condition>;

type Conditioned = { property: Property; totals: Assessment & { dueCents: number }; centsPerSqft: number };

const serializeCondition = condition.serializer(
  ({ property, totals, centsPerSqft }: Conditioned, moment: FigureContext) => {
    const { now, modelVersion } = moment;
    const { score, grade, rating, facility } = propertyConditionOf(property, totals, centsPerSqft);
    return {
      ...serializeSubject(property),
      condition_score: score,
      grade,
      rating,
      components_assessed: totals.components,
      ...serializeTierCounts(totals),
      methodology: `${METHODOLOGY} Tiers use scoring model ${modelVersion}.`,
      fci: serializeFacilityCondition(facility),
      retired_at: property.retiredAt,
      assessed_at: isoTextOfInstant(now),
    };
  },
);
export const conditionReply = schemaWithPartner(
  figuresSchemaWithRecalculating(condition.and(assumptionsField)),
);

/** Creates the accumulator of a condition score over components; `planning` is what their plans need. */
export function conditionSchemaAccumulator(
  prices: PriceList,
  planning: PlanContext<PlacedComponent>,
): FigureSchemaAccumulator<JsonOf<typeof condition>> {
  const collector = new AssessmentAccumulator(prices);
  const due = new DueCostSum(planning);
  return {
    add(component) {
      collector.add(component);
      due.add(component);
      return 0;
    },
    *write(property, moment) {
      const totals = { ...collector.assessment, dueCents: yield* due.finish() };
      return serializeCondition(
        { property, totals, centsPerSqft: prices.knowledge.buildingCentsPerSqft },
        moment,
      );
    },
  };
}

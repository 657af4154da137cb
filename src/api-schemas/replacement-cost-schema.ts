import type { PriceList } from "../domain/costs/price-list.ts";
import { elevatedCostExposureOf } from "../domain/figures/elevated-cost-exposure.ts";
import {
  type Assessment,
  AssessmentAccumulator,
  centsPerUnit,
} from "../domain/figures/property-assessment.ts";
import {
  type SystemValue,
  SystemValueAccumulator,
  wordingOfDeferredPercent,
} from "../domain/figures/replacement-value-by-system.ts";
import type { Property } from "../domain/property.ts";
import { inOneStep } from "../domain/steps/computation-steps.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { assumptionsField } from "./assumptions-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  listSchema,
  objectSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import type { FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";
import { calculatedAt, serializeSubject, subject } from "./figures-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { figuresSchemaWithRecalculating } from "./recalculating-schema.ts";
import { serializeTierCounts, tierCounts } from "./score-schema.ts";

const system = objectSchema({
  system: textSchema("Building system", "plumbing"),
  total_rcv: usdSchema("Replacement cost value", 42_000),
  components: wholeNumberSchema("Number of components", 26),
  ...tierCounts,
});

const serializeSystemValue = system.serializer(({ system, totals }: SystemValue) => ({
  system,
  total_rcv: jsonUsdFromCents(totals.rcvCents),
  components: totals.components,
  ...serializeTierCounts(totals),
}));

const replacementCost = objectSchema({
  ...subject,
  unit_count: property.fields.unit_count,
  unit_label: property.fields.unit_label,
  total_replacement_cost: usdSchema("Replacement cost value of the property's appliances", 340_800),
  rcv_per_unit: usdSchema("Replacement cost value per unit", 14_200),
  // The exposures are costs after failure; their sum is total_reactive_exposure.
  critical_exposure: usdSchema("Cost of the CRITICAL components after failure", 5600),
  warning_exposure: usdSchema("Cost of the WARNING components after failure", 33_400),
  systems: listSchema("Replacement cost by building system, most expensive first", system),
  estimated_value: property.fields.estimated_value,
  deferred_as_pct_of_value: textSchema(
    "Deferred maintenance as a percentage of the estimated value",
    "4.2%",
  ).orNull(),
  assessed_at: calculatedAt,
});

const serializeReplacementCost = replacementCost.serializer(
  (property: Property, totals: Assessment, systems: readonly SystemValue[], now: Instant) => {
    const { unitCount, estimatedValueCents } = property;
    const { deferredCents } = elevatedCostExposureOf(totals);
    return {
      ...serializeSubject(property),
      unit_count: unitCount,
      unit_label: property.unitLabel,
      total_replacement_cost: jsonUsdFromCents(totals.rcvCents),
      rcv_per_unit: jsonUsdFromCents(centsPerUnit(totals.rcvCents, unitCount)),
      critical_exposure: jsonUsdFromCents(totals.criticalReactiveCents),
      warning_exposure: jsonUsdFromCents(totals.warningReactiveCents),
      systems: systems.map(serializeSystemValue),
      estimated_value: jsonUsdFromCentsOrNull(estimatedValueCents),
      deferred_as_pct_of_value: wordingOfDeferredPercent(deferredCents, estimatedValueCents),
      assessed_at: isoTextOfInstant(now),
    };
  },
);
export const replacementCostReply = schemaWithPartner(
  figuresSchemaWithRecalculating(replacementCost.and(assumptionsField)),
);

/** Creates the accumulator of a replacement cost value over appliances. */
export function replacementCostSchemaAccumulator(
  prices: PriceList,
): FigureSchemaAccumulator<JsonOf<typeof replacementCost>> {
  const totals = new AssessmentAccumulator(prices);
  const systems = new SystemValueAccumulator(prices);
  return {
    add(component) {
      totals.add(component);
      systems.add(component);
      return 0;
    },
    costCents: () => totals.rcvByBasis,
    write: (property, { now }) =>
      inOneStep(() => serializeReplacementCost(property, totals.assessment, systems.values(), now)),
  };
}

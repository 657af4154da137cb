import type { PriceList } from "../domain/costs/price-list.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { elevatedCostExposureOf } from "../domain/figures/elevated-cost-exposure.ts";
import { centsPerUnit } from "../domain/figures/property-assessment.ts";
import { propertyConditionOf } from "../domain/figures/property-condition.ts";
import type { PropertyTotals, Totals } from "../domain/figures/property-totals.ts";
import type { ReserveAccumulator } from "../domain/figures/reserve.ts";
import { countryOf, subdivisionOf } from "../domain/places/place.ts";
import type { Property, SummarizedProperty } from "../domain/property.ts";
import { inOneStep } from "../domain/steps/computation-steps.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { assumptionsField } from "./assumptions-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import { objectSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";
import type { FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";
import {
  calculatedAt,
  deferredPerDoor,
  recommendedReserve,
  recommendedReserveJsonGatherer,
  serializeRecommendedReserve,
  totalDeferred,
  totalReactive,
} from "./figures-schema.ts";
import {
  type CountOfCode,
  flagCounts,
  flagTotals,
  serializeFlagTotals,
  serializeHazardFlagCounts,
} from "./hazard-flag-schema.ts";
import { pageSchema, schemaWithPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { figuresSchemaWithRecalculating, recalculating } from "./recalculating-schema.ts";
import { rating, serializeTierCounts, tierCounts } from "./score-schema.ts";

/* Summaries of properties. They are made from stored sums, so that a page of them reads no components. */

/** The costs of the CRITICAL and WARNING components, planned and after failure. */
const exposure = {
  total_deferred_maintenance: totalDeferred,
  total_reactive_exposure: totalReactive,
  deferred_per_door: deferredPerDoor,
};

const serializeExposure = objectSchema(exposure).serializer((totals: PropertyTotals, unitCount: number) => {
  const { deferredCents, reactiveCents } = elevatedCostExposureOf(totals);
  return {
    total_deferred_maintenance: jsonUsdFromCents(deferredCents),
    total_reactive_exposure: jsonUsdFromCents(reactiveCents),
    deferred_per_door: jsonUsdFromCents(centsPerUnit(deferredCents, unitCount)),
  };
});

const { id, name, address, city, country, state, unit_count, unit_label, is_demo } = property.fields;
const applianceCount = wholeNumberSchema("Number of appliances", 14);
const componentCount = wholeNumberSchema("Number of components", 90);

const summary = objectSchema({
  property: objectSchema({ id, name, address, city, country, state, unit_count, unit_label }).describedAs(
    "The property",
  ),
  counts: objectSchema({
    appliances: applianceCount,
    components: componentCount,
    service_events: wholeNumberSchema("Number of service events", 48),
  }).describedAs("Number of records"),
  risk: objectSchema({ ...tierCounts, overall_rating: rating }).describedAs("Components by tier, and rating"),
  financials: objectSchema({
    ...exposure,
    recommended_monthly_reserve_per_unit: recommendedReserve,
  }).describedAs("Costs, in USD"),
  flags: flagCounts,
  assessed_at: calculatedAt,
});

/** The stored sums of a property. */
export type StoredSums = { totals: PropertyTotals; flags: readonly CountOfCode[] };

const ratingOf = (
  { buildingCentsPerSqft }: Knowledge,
  property: Pick<Property, "replacementValueCents" | "grossAreaSqft">,
  totals: PropertyTotals,
) => propertyConditionOf(property, totals, buildingCentsPerSqft).rating;

const serializeSummary = summary.serializer(
  (
    knowledge: Knowledge,
    property: Property,
    { totals, flags }: StoredSums,
    reserve: ReserveAccumulator,
    now: Instant,
  ) => ({
    property: {
      id: property.id,
      name: property.name,
      address: property.address,
      city: property.city,
      country: countryOf(property.state),
      state: subdivisionOf(property.state),
      unit_count: property.unitCount,
      unit_label: property.unitLabel,
    },
    counts: {
      appliances: totals.appliances,
      components: totals.components,
      service_events: totals.serviceEvents,
    },
    risk: { ...serializeTierCounts(totals), overall_rating: ratingOf(knowledge, property, totals) },
    financials: {
      ...serializeExposure(totals, property.unitCount),
      recommended_monthly_reserve_per_unit: serializeRecommendedReserve(reserve, property.unitCount),
    },
    flags: serializeHazardFlagCounts(knowledge, flags),
    assessed_at: isoTextOfInstant(now),
  }),
);
export const summaryReply = schemaWithPartner(figuresSchemaWithRecalculating(summary.and(assumptionsField)));

/** Creates the accumulator of a portfolio summary over properties. */
export function portfolioSummarySchemaAccumulator(
  prices: PriceList,
  sums: StoredSums,
): FigureSchemaAccumulator<JsonOf<typeof summary>> {
  const { knowledge } = prices;
  const reserve = recommendedReserveJsonGatherer(prices);
  return {
    add(component) {
      reserve.add(component);
      return 0;
    },
    write: (property, { now }) => inOneStep(() => serializeSummary(knowledge, property, sums, reserve, now)),
  };
}

export const portfolioItem = objectSchema({
  property_id: id.describedAs("The property"),
  name,
  address,
  city,
  country,
  state,
  unit_count,
  appliances: applianceCount,
  components: componentCount,
  ...tierCounts,
  overall_rating: rating,
  ...exposure,
  ...flagTotals,
  is_demo,
});
export type PortfolioItemJson = JsonOf<typeof portfolioItem>;

export const serializePortfolioItem = portfolioItem.serializer(
  (knowledge: Knowledge, { property, totals, flags }: StoredSums & { property: SummarizedProperty }) => ({
    property_id: property.id,
    name: property.name,
    address: property.address,
    city: property.city,
    country: countryOf(property.state),
    state: subdivisionOf(property.state),
    unit_count: property.unitCount,
    appliances: totals.appliances,
    components: totals.components,
    ...serializeTierCounts(totals),
    overall_rating: ratingOf(knowledge, property, totals),
    ...serializeExposure(totals, property.unitCount),
    ...serializeFlagTotals(flags),
    is_demo: property.isDemo,
  }),
);

const portfolioTotals = objectSchema({
  properties: wholeNumberSchema("Number of properties", 12),
  appliances: applianceCount,
  components: componentCount,
  ...tierCounts,
  total_deferred: totalDeferred,
  total_reactive: totalReactive,
  flags: flagCounts,
});
export type PortfolioTotalsJson = JsonOf<typeof portfolioTotals>;

type PortfolioTotals = Omit<Totals, "serviceEvents"> & { properties: number };
export const serializePortfolioTotals = portfolioTotals.serializer(
  (knowledge: Knowledge, totals: PortfolioTotals, flags: readonly CountOfCode[]) => {
    const { deferredCents, reactiveCents } = elevatedCostExposureOf(totals);
    return {
      properties: totals.properties,
      appliances: totals.appliances,
      components: totals.components,
      ...serializeTierCounts(totals),
      total_deferred: jsonUsdFromCents(deferredCents),
      total_reactive: jsonUsdFromCents(reactiveCents),
      flags: serializeHazardFlagCounts(knowledge, flags),
    };
  },
);

/** The totals of a list of properties, and their basis. */
export const portfolioSumsFields = {
  totals: portfolioTotals.describedAs(
    "Totals of all matching properties, without demo properties unless they are asked for",
  ),
  assumptions: assumptionsField.assumptions
    .describedAs(
      "What the figures of all matching properties rest on; null while too many of them have changed since their plans were made, until GET /v1/portfolio/plan or the next snapshot renews these",
    )
    .orNull(),
  ...recalculating,
};

export const portfolioPage = pageSchema(
  "portfolio",
  portfolioItem,
  portfolioSumsFields,
  "The properties on this page with their figures",
);
export type PortfolioPageJson = JsonOf<typeof portfolioPage>;

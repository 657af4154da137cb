import {
  installYearOfPresentPart,
  PART_YEAR_BASES,
  type PlacedComponent,
  partYearBasis,
  tierOfHundredths,
} from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { hazardFlagsOfPart } from "../domain/hazards/hazard-flags.ts";
import type { TrendRow } from "../domain/rules/score-trend-rule.ts";
import {
  type DefinedOutlook,
  failureProbability12m,
  projectionOfStoredScore,
  scoredComponentFailureWindow,
  scoredComponentOutlookWithDefinition,
} from "../domain/scoring/score-projections.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { actionFields, actionOrNullFields } from "./action-schema.ts";
import { applianceTypeId, componentDefId, componentName } from "./component-name-schema.ts";
import { costFields, serializeCosts } from "./costs-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonScoreFromHundredths, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { hazardFlags, serializeHazardFlags } from "./hazard-flag-schema.ts";
import { pageSchema, schemaWithPartner, unscopedPageSchema } from "./paging-schema.ts";
import {
  ageYearsField,
  confidence,
  failureWindowField,
  projectedFailureYear,
  riskScore,
  riskTier,
} from "./score-schema.ts";
import { type HistoryEventJson, historyEvent } from "./service-event-schema.ts";

/** A component in a list: the union of both variants in the specification. */
export const component = recordSchema("Component", {
  id: idSchema("C", "The component; same as component_id"),
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  component_def_id: componentDefId,
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  appliance_brand: textSchema("The appliance's brand", "Rheem").orNull(),
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  property_id: idSchema("P", "The property"),
  property_name: textSchema("The property's display name", "Harbor View Apartments"),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  age_years: ageYearsField,
  install_year: wholeNumberSchema("Year of the last replacement, or of installation if never replaced", 2015),
  install_year_basis: enumSchema(
    PART_YEAR_BASES,
    "What that year is: of the last `replacement`, `given` for the component, its `appliance`'s, or its building's (`year_built`) for lack of any",
    "appliance",
  ),
  last_replaced: daySchema("Date of the last replacement, which resets the age").orNull(),
  last_serviced: daySchema("Date of the last service").orNull(),
  override_lifespan: wholeNumberSchema("Median life in years that overrides the knowledge base", 18).orNull(),
  original: flagSchema(
    "Whether an inspector found it to be the part that was installed with its appliance, so that no earlier renewal is assumed",
    false,
  ),
  past: enumSchema<"unknown">(
    ["unknown"],
    "`unknown` if an inspector found that it may have been replaced before the record begins; null otherwise",
  ).orNull(),
  projected_failure_year: projectedFailureYear,
  projected_failure_range: recordSchema("ComponentProjectedFailureRange", {
    earliest: wholeNumberSchema("First year of the range", 2028),
    latest: wholeNumberSchema("Last year of the range", 2032),
    confidence_pct: wholeNumberSchema(
      "100 less the margin of error of the range, by confidence: 98, 97 or 96. Not the probability that the failure lies " +
        "within the range",
      97,
    ),
  }).describedAs("Years around the median projected failure; holds 16 to 31% of failures"),
  failure_window_80: failureWindowField,
  failure_probability_12m: numberSchema(
    "Probability of failure within 12 months (365 days), given that the component works now",
    0.2231,
    { minimum: 0, maximum: 1 },
  ),
  ...costFields,
  flags: hazardFlags.describedAs(
    "Known hazards of its appliance that the component is or contains, whatever its scores",
  ),
  last_scored: instantSchema("When the score was last calculated"),
});
export type ComponentJson = JsonOf<typeof component>;

/** `latestSnapshotAt`: when the latest snapshot was taken, which scored every component that was not rescored since. */
export const serializeComponent = component.serializer(
  (
    prices: PriceList,
    row: PlacedComponent,
    latestSnapshotAt: Instant | null,
    { def, outlook }: DefinedOutlook = scoredComponentOutlookWithDefinition(prices.knowledge, row),
  ) => {
    const { knowledge } = prices;
    const costs = serializeCosts(prices.ofComponent(row, def));
    const projection = projectionOfStoredScore(knowledge, row, row.brandTier, outlook);
    return {
      id: row.id,
      component_id: row.id,
      component_name: def.name,
      component_def_id: row.defId,
      appliance_id: row.applianceId,
      appliance_type: row.typeId,
      appliance_brand: row.brand,
      unit: row.unitId,
      property_id: row.propertyId,
      property_name: row.propertyName,
      risk_score: jsonScoreFromHundredths(row.riskScore),
      risk_tier: row.riskTier,
      confidence: row.confidence,
      age_years: roundJsonNumber(ageYearsOf(row, row.scoredOn), 2),
      install_year: installYearOfPresentPart(row),
      install_year_basis: partYearBasis(row),
      last_replaced: row.lastReplaced,
      last_serviced: row.lastServiced,
      override_lifespan: row.overrideLifespan,
      original: row.past === "original",
      past: row.past === "unknown" ? "unknown" : null,
      projected_failure_year: projection.projectedFailureYear,
      projected_failure_range: {
        earliest: projection.projectedFailureRange.earliest,
        latest: projection.projectedFailureRange.latest,
        confidence_pct: projection.projectedFailureRange.confidencePct,
      },
      failure_window_80: scoredComponentFailureWindow(knowledge, row, row.brandTier, outlook),
      failure_probability_12m: failureProbability12m(knowledge, row, row.brandTier, outlook),
      // By name: a spread within so many fields takes half of the time of the record.
      proactive_cost: costs.proactive_cost,
      reactive_cost: costs.reactive_cost,
      cost_basis: costs.cost_basis,
      size: costs.size,
      cost_factor: costs.cost_factor,
      // Most rows have none. Compiling three calls for each took longer than the calls.
      flags:
        row.flags === ""
          ? []
          : serializeHazardFlags(knowledge, hazardFlagsOfPart(knowledge, row.flags, row.defId)),
      last_scored: lastScored(row, latestSnapshotAt),
    };
  },
);

const lastScored = (row: PlacedComponent, latestSnapshotAt: Instant | null) =>
  isoTextOfInstant(row.rescoredAt ?? latestSnapshotAt ?? row.createdAt);

/** A component in a list, with what to do with it. */
export const listedComponent = recordSchema("ListedComponent", { ...component.fields, ...actionFields });
/** A component of an appliance that may be retired, with what to do with it. */
export const ownedComponent = recordSchema("OwnedComponent", { ...component.fields, ...actionOrNullFields });
export const componentPage = pageSchema("components", listedComponent);

/** Returns the expected loss in the next 12 months, in USD: the probability of failure times its cost. */
export const expectedFailureCostOfJson = (
  one: Pick<JsonOf<typeof component>, "failure_probability_12m" | "reactive_cost">,
) => roundJsonNumber(one.failure_probability_12m * one.reactive_cost, 2);

const out = component.fields;

/** A CRITICAL or WARNING component. */
export const alert = recordSchema("Alert", {
  id: out.id,
  component_id: out.component_id,
  component_name: out.component_name,
  component_def_id: out.component_def_id,
  appliance_id: out.appliance_id,
  appliance_type: out.appliance_type,
  unit: out.unit,
  property_id: out.property_id,
  property_name: out.property_name,
  property_address: textSchema("The property's street address", "120 Harbor St"),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  projected_failure_year: out.projected_failure_year,
  failure_probability_12m: out.failure_probability_12m,
  ...costFields,
  expected_cost_12m: usdSchema(
    "Expected cost of a failure within 12 months: `failure_probability_12m` times `reactive_cost`",
    560.43,
  ),
});

export const serializeAlert = alert.serializer(
  (
    prices: PriceList,
    row: PlacedComponent,
    { def, outlook }: DefinedOutlook = scoredComponentOutlookWithDefinition(prices.knowledge, row),
  ) => {
    const { knowledge } = prices;
    const failure_probability_12m = failureProbability12m(knowledge, row, row.brandTier, outlook);
    const costs = serializeCosts(prices.ofComponent(row, def));
    return {
      id: row.id,
      component_id: row.id,
      component_name: def.name,
      component_def_id: row.defId,
      appliance_id: row.applianceId,
      appliance_type: row.typeId,
      unit: row.unitId,
      property_id: row.propertyId,
      property_name: row.propertyName,
      property_address: row.propertyAddress,
      risk_score: jsonScoreFromHundredths(row.riskScore),
      risk_tier: row.riskTier,
      confidence: row.confidence,
      projected_failure_year: projectionOfStoredScore(knowledge, row, row.brandTier, outlook)
        .projectedFailureYear,
      failure_probability_12m,
      proactive_cost: costs.proactive_cost,
      reactive_cost: costs.reactive_cost,
      cost_basis: costs.cost_basis,
      size: costs.size,
      cost_factor: costs.cost_factor,
      expected_cost_12m: expectedFailureCostOfJson({
        failure_probability_12m,
        reactive_cost: costs.reactive_cost,
      }),
    };
  },
);

/** An alert with the other fields that clients expect of a component in any list. */
const alertWithAge = alert.and({
  appliance_brand: out.appliance_brand,
  age_years: out.age_years,
  last_scored: out.last_scored,
});

/** An alert in a list, with what to do with the component. */
export const listedAlert = recordSchema("ListedAlert", { ...alertWithAge.fields, ...actionFields });
export type AlertJson = JsonOf<typeof listedAlert>;

/** `latestSnapshotAt`: as for `serializeComponent`. */
export const serializeAlertWithAge = alertWithAge.serializer(
  (prices: PriceList, row: PlacedComponent, latestSnapshotAt: Instant | null, defined: DefinedOutlook) => ({
    ...serializeAlert(prices, row, defined),
    appliance_brand: row.brand,
    age_years: roundJsonNumber(ageYearsOf(row, row.scoredOn), 2),
    last_scored: lastScored(row, latestSnapshotAt),
  }),
);
export const alertPage = pageSchema("alerts", listedAlert, {
  critical_count: wholeNumberSchema(
    "CRITICAL components on all pages, without the demo property's unless they are asked for",
    2,
  ),
  warning_count: wholeNumberSchema(
    "WARNING components on all pages, without the demo property's unless they are asked for",
    8,
  ),
});
export type AlertPageJson = JsonOf<typeof alertPage>;

/** A component of any partner, for administrators. */
const partnerComponent = alert.and({ partner_id: idSchema("PARTNER", "The partner") });
export type PartnerComponentJson = JsonOf<typeof partnerComponent>;

export const serializePartnerComponent = partnerComponent.serializer(
  (prices: PriceList, row: PlacedComponent) => ({
    ...serializeAlert(prices, row),
    partner_id: row.partnerId,
  }),
);
export const partnerComponentPage = unscopedPageSchema("components", partnerComponent);
export type PartnerComponentPageJson = JsonOf<typeof partnerComponentPage>;

const subject = objectSchema({
  id: idSchema("C", "The component's ID"),
  component_name: out.component_name,
  appliance_id: out.appliance_id,
  appliance_type: out.appliance_type,
  install_year: out.install_year,
  last_replaced: out.last_replaced,
  last_serviced: out.last_serviced,
});

const history = objectSchema({
  component: subject.describedAs("The component"),
  events: listSchema("Service events of the component and its appliance, newest first", historyEvent),
  total_events: wholeNumberSchema("Number of events", 4),
});
export type ComponentHistoryJson = JsonOf<typeof history>;

export const serializeComponentHistory = history.serializer(
  (knowledge: Knowledge, row: PlacedComponent, events: HistoryEventJson[]) => ({
    component: {
      id: row.id,
      component_name: knowledge.component(row.defId).name,
      appliance_id: row.applianceId,
      appliance_type: row.typeId,
      install_year: installYearOfPresentPart(row),
      last_replaced: row.lastReplaced,
      last_serviced: row.lastServiced,
    },
    events,
    total_events: events.length,
  }),
);
export const historyReply = schemaWithPartner(history);

const trendPoint = recordSchema("TrendPoint", {
  date: daySchema("Date of the snapshot in UTC"),
  risk_score: riskScore,
  risk_tier: riskTier,
});
export type TrendPointJson = JsonOf<typeof trendPoint>;

export const serializeTrendPoint = trendPoint.serializer(({ day, riskScore }: TrendRow) => ({
  date: day,
  risk_score: jsonScoreFromHundredths(riskScore),
  risk_tier: tierOfHundredths(riskScore),
}));
export const trendPage = pageSchema(
  "trend",
  trendPoint,
  { component_id: out.component_id },
  "The points on this page, one per snapshot, oldest first",
);

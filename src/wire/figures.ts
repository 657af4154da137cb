import type { PlacedComponent } from "../domain/component.ts";
import { assess, perDoor } from "../domain/figures/assessment.ts";
import { conditionOf, type Grade, METHODOLOGY } from "../domain/figures/condition.ts";
import { exposureOf } from "../domain/figures/exposure.ts";
import { forecastWithin } from "../domain/figures/forecast.ts";
import { reportOn } from "../domain/figures/report.ts";
import { fullReplacementReserve, type Reserve, reserveOver } from "../domain/figures/reserve.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { projectionOf } from "../domain/projections.ts";
import type { Property } from "../domain/property.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { applianceTypeId, componentName } from "./component-names.ts";
import { id, instant, integer, list, mapOf, number, object, oneOf, record, text, usd, whole } from "./kit.ts";
import { forPartner } from "./paging.ts";
import { property, propertyView } from "./property.ts";
import {
  ageYears,
  confidence,
  proactiveCost,
  projectedFailureYear,
  rating,
  reactiveCost,
  riskScore,
  riskTier,
  tierCounts,
  tierCountsView,
} from "./scores.ts";
import { round, scoreOf, usdFromCents } from "./units.ts";

/* The figures of one property. Each is made of the property and its components as they were read at one moment. */

/** What a figure is made of. */
export type Assessed = {
  knowledge: Knowledge;
  property: Property;
  components: readonly PlacedComponent[];
  now: Instant;
  /** Whose scores they are. */
  modelVersion: string;
};

export const workedOutAt = instant("When the figures were worked out");
const conditionIndex = integer("Condition index, 1 (worst) to 100", 84, { minimum: 1, maximum: 100 });
const assessedCount = whole("Components that the figure rests on", 90);
export const subject = { property_id: id("P", "The property"), name: property.fields.name };
export const subjectView = ({ id, name }: Property) => ({ property_id: id, name });

const deferredWords = "Cost of planned replacement of the elevated components";
const reactiveWords = "What the elevated components would cost once failed";
export const totalDeferred = usd(deferredWords, 14_500);
export const totalReactive = usd(reactiveWords, 39_000);
export const deferredPerDoor = usd("Deferred maintenance per unit", 604.17);
export const recommendedReserve = usd("What to set aside per unit and month", 21.4);

/** What a property should set aside a month and unit over the next 12 months, in USD. */
export const recommendedReserveView = (
  knowledge: Knowledge,
  components: readonly PlacedComponent[],
  unitCount: number,
): number => usdFromCents(reserveOver(knowledge, components, unitCount, 12).perUnitPerMonth);

/** A component in a figure's list. */
const itemFields = {
  component_id: id("C", "The component"),
  component_name: componentName,
  appliance_id: id("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: id("U", "The unit that the appliance serves").orNull(),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  projected_failure_year: projectedFailureYear,
  proactive_cost: proactiveCost,
  reactive_cost: reactiveCost,
};

const itemView = object(itemFields).view((knowledge: Knowledge, row: PlacedComponent) => {
  const { name, proactiveCents, reactiveCents } = knowledge.component(row.defId);
  return {
    component_id: row.id,
    component_name: name,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    unit: row.unitId,
    risk_score: scoreOf(row.riskScore),
    risk_tier: row.riskTier,
    confidence: row.confidence,
    projected_failure_year: projectionOf(knowledge, row, row.brandTier).projectedFailureYear,
    proactive_cost: usdFromCents(proactiveCents),
    reactive_cost: usdFromCents(reactiveCents),
  };
});

const reportItem = record("ReportItem", { ...itemFields, age_years: ageYears });

const report = object({
  property: property.as("The property"),
  overall: object({
    rating,
    nci_equivalent: conditionIndex,
    components_assessed: assessedCount,
  }).as("The property's rating"),
  categories: mapOf(
    "Counts and deferred cost by appliance type",
    object({ ...tierCounts, deferred: usd(deferredWords, 1450) }),
  ),
  critical: list("The CRITICAL components, the highest score first", reportItem),
  warning: list("The WARNING components, the highest score first", reportItem),
  good: list("The GOOD components, the highest score first", reportItem),
  financials: object({
    total_deferred: totalDeferred,
    total_reactive_exposure: totalReactive,
    deferred_per_door: deferredPerDoor,
    estimated_savings_if_acted: usd("Reactive exposure less deferred maintenance", 24_500),
    recommended_monthly_reserve_per_unit: recommendedReserve,
  }).as("Money figures, in USD"),
  assessed_at: workedOutAt,
});

export const reportView = report.view(({ knowledge, property, components, now }: Assessed) => {
  const { totals, categories, byTier } = reportOn(knowledge, components);
  const { rating, score } = conditionOf(totals);
  const exposure = exposureOf(totals);
  const items = (rows: readonly PlacedComponent[]) =>
    rows.map((row) => ({ ...itemView(knowledge, row), age_years: round(ageYearsOf(row, row.scoredOn), 2) }));
  return {
    property: propertyView(property),
    overall: { rating, nci_equivalent: score, components_assessed: totals.components },
    categories: Object.fromEntries(
      [...categories].map(([typeId, group]) => [
        typeId,
        { ...tierCountsView(group), deferred: usdFromCents(exposureOf(group).deferredCents) },
      ]),
    ),
    critical: items(byTier.CRITICAL),
    warning: items(byTier.WARNING),
    good: items(byTier.GOOD),
    financials: {
      total_deferred: usdFromCents(exposure.deferredCents),
      total_reactive_exposure: usdFromCents(exposure.reactiveCents),
      deferred_per_door: usdFromCents(perDoor(exposure.deferredCents, property.unitCount)),
      estimated_savings_if_acted: usdFromCents(exposure.savingsCents),
      recommended_monthly_reserve_per_unit: recommendedReserveView(knowledge, components, property.unitCount),
    },
    assessed_at: toIso(now),
  };
});
export const reportReply = forPartner(report);

const forecastWindow = record("ForecastWindow", {
  label: text("Display name", "Next 30 days"),
  component_count: whole("Number of components", 3),
  proactive_cost: usd("Cost of replacing them all as planned work", 1450),
  emergency_cost_if_ignored: usd("What the components would cost once failed", 5600),
  savings_potential: usd("Emergency cost less proactive cost", 4150),
  components: list(
    "The components, the highest score first",
    object({
      ...itemFields,
      failure_probability: number(
        "Probability of failing within the window, given that it works now",
        0.1842,
        { minimum: 0, maximum: 1 },
      ),
    }),
  ),
});

const windowView = forecastWindow.view(({ knowledge, components }: Assessed, days: number) => {
  const { items, proactiveCents, reactiveCents } = forecastWithin(knowledge, components, days);
  return {
    label: `Next ${days} days`,
    component_count: items.length,
    proactive_cost: usdFromCents(proactiveCents),
    emergency_cost_if_ignored: usdFromCents(reactiveCents),
    savings_potential: usdFromCents(reactiveCents - proactiveCents),
    components: items.map(({ component, failureProbability }) => ({
      ...itemView(knowledge, component),
      failure_probability: round(failureProbability, 4),
    })),
  };
});

const forecast = object({
  ...subject,
  forecast: object({
    window_30_days: forecastWindow.as("Work within 30 days"),
    window_60_days: forecastWindow.as("Work within 60 days"),
    window_90_days: forecastWindow.as("Work within 90 days"),
  }).as("Expected work by window; later windows hold the earlier ones"),
  generated_at: workedOutAt,
});

export const forecastView = forecast.view((assessed: Assessed) => ({
  ...subjectView(assessed.property),
  forecast: {
    window_30_days: windowView(assessed, 30),
    window_60_days: windowView(assessed, 60),
    window_90_days: windowView(assessed, 90),
  },
  generated_at: toIso(assessed.now),
}));
export const forecastReply = forPartner(forecast);

const span = record("Reserve", {
  label: text("Display name", "12-month reserve"),
  per_unit_per_month: usd("Reserve per unit and month", 21.4),
  per_unit_per_year: usd("Reserve per unit and year", 256.8),
  property_per_month: usd("Reserve for the property per month", 513.6),
});

const spanView = span.view((label: string, reserve: Reserve) => ({
  label,
  per_unit_per_month: usdFromCents(reserve.perUnitPerMonth),
  per_unit_per_year: usdFromCents(reserve.perUnitPerYear),
  property_per_month: usdFromCents(reserve.propertyPerMonth),
}));

const reserve = object({
  ...subject,
  unit_count: property.fields.unit_count,
  total_deferred: totalDeferred,
  reserves: object({
    "12_month": span.as("Over 12 months"),
    "24_month": span.as("Over 24 months"),
    "36_month": span.as("Over 36 months"),
    "10_year_full_replacement": span.as("The whole replacement cost value over 10 years"),
  }).as("What to set aside, by horizon"),
  generated_at: workedOutAt,
});

export const reserveView = reserve.view(({ knowledge, property, components, now }: Assessed) => {
  const { unitCount } = property;
  const totals = assess(knowledge, components);
  const over = (months: number) =>
    spanView(`${months}-month reserve`, reserveOver(knowledge, components, unitCount, months));
  return {
    ...subjectView(property),
    unit_count: unitCount,
    total_deferred: usdFromCents(exposureOf(totals).deferredCents),
    reserves: {
      "12_month": over(12),
      "24_month": over(24),
      "36_month": over(36),
      "10_year_full_replacement": spanView(
        "10-year full replacement",
        fullReplacementReserve(totals.rcvCents, unitCount),
      ),
    },
    generated_at: toIso(now),
  };
});
export const reserveReply = forPartner(reserve);

const condition = object({
  ...subject,
  condition_score: conditionIndex,
  grade: oneOf<Grade>(["A", "B", "C", "D", "F"], "Letter grade of the condition index", "B"),
  rating,
  components_assessed: assessedCount,
  ...tierCounts,
  methodology: text("How the figure is worked out", "Facility condition index"),
  assessed_at: workedOutAt,
});

export const conditionView = condition.view((assessed: Assessed) => {
  const { knowledge, property, components, now, modelVersion } = assessed;
  const totals = assess(knowledge, components);
  const { score, grade, rating } = conditionOf(totals);
  return {
    ...subjectView(property),
    condition_score: score,
    grade,
    rating,
    components_assessed: totals.components,
    ...tierCountsView(totals),
    methodology: `${METHODOLOGY} Tiers are of the scoring model ${modelVersion}.`,
    assessed_at: toIso(now),
  };
});
export const conditionReply = forPartner(condition);

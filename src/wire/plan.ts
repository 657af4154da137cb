import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { PolicyName } from "../domain/planning/advice.ts";
import type { PlanYear } from "../domain/planning/capital-plan.ts";
import { dueOn } from "../domain/planning/component-plan.ts";
import { lifespanYearsOf } from "../domain/planning/part.ts";
import {
  type BudgetUse,
  PLAN_LIMITS,
  type PlanSummary,
  type PropertyPlan,
  type ScheduledPlan,
} from "../domain/planning/property-plan.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import type { Day } from "../domain/time.ts";
import { applianceTypeId, componentName } from "./component-names.ts";
import { subject, subjectView } from "./figures.ts";
import { forPartner } from "./paging.ts";
import { assumptionsOf } from "./plan-assumptions.ts";
import { property } from "./property.ts";
import {
  day,
  enumOf,
  id,
  integer,
  list,
  number,
  object,
  record,
  text,
  textList,
  usd,
  whole,
} from "./schema/fields.ts";
import type { Cell } from "./schema/table.ts";
import { round, scoreFromHundredths, usdFromCents } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";
import { ageYears, proactiveCost, reactiveCost, riskScore, riskTier } from "./scores.ts";

/* Replacement plans: the fields of a property's plan, and those that it shares with the portfolio's plan. */

const wholeUsd = (cents: number) => usdFromCents(Math.round(cents));
const { years, inflationPct } = PLAN_LIMITS;

const planYear = record("PlanYear", {
  year: whole("Year of the plan; year 1 starts now", 1),
  planned_cost: usd("Planned replacements, at today's prices", 2450),
  failure_cost: usd("Expected failures, at today's prices", 1180.4),
  total: usd("Planned replacements and expected failures, at today's prices", 3630.4),
  run_to_failure: usd("Cost if every component runs to failure, at today's prices", 4410.1),
  total_inflated: usd("Total, inflated to the year", 3630.4),
  per_unit_inflated: usd("Total per unit, inflated to the year", 151.27),
});
export type PlanYearJson = WireOf<typeof planYear>;

const planYearView = planYear.serializer((year: PlanYear, units: number) => ({
  year: year.year,
  planned_cost: usdFromCents(year.plannedCents),
  failure_cost: usdFromCents(year.failureCents),
  total: usdFromCents(year.totalCents),
  run_to_failure: usdFromCents(year.runToFailureCents),
  total_inflated: usdFromCents(year.inflatedCents),
  per_unit_inflated: wholeUsd(year.inflatedCents / units),
}));

const deposit = record("LevelDeposit", {
  per_year: usd("Yearly deposit", 3850),
  per_unit_per_year: usd("Yearly deposit per unit", 160.42),
  per_unit_per_month: usd("Monthly deposit per unit", 13.37),
});

const depositView = deposit.serializer((centsPerYear: number, units: number) => ({
  per_year: wholeUsd(centsPerYear),
  per_unit_per_year: wholeUsd(centsPerYear / units),
  per_unit_per_month: wholeUsd(centsPerYear / units / 12),
}));

/** The fields that the plans of a property and of a portfolio share. */
export const planSummary = object({
  as_of: day("Start date of the plan"),
  years: integer("Years that the plan covers", years.usual, { minimum: years.least, maximum: years.most }),
  inflation_pct: number("Inflation in percent per year", inflationPct.usual, {
    minimum: inflationPct.least,
    maximum: inflationPct.most,
  }),
  immediate: object({
    component_count: whole("Number of components", 3),
    cost: usd("Planned replacement cost", 2450),
  }).describedAs("Components due for replacement now"),
  schedule: list("Expected costs by year", planYear),
  totals: object({
    planned: usd("Expected cost with this plan, including failures, at today's prices", 31_200.5),
    planned_inflated: usd("Expected cost with this plan, inflated", 35_410.22),
    run_to_failure: usd("Expected cost if every component runs to failure, at today's prices", 44_100.1),
    run_to_failure_inflated: usd("Expected cost if every component runs to failure, inflated", 50_180.9),
    savings: usd("Savings with this plan, at today's prices", 12_899.6),
  }).describedAs("Totals of all years"),
  level_deposit: object({
    "50": deposit.describedAs("With 50% confidence: covers the expected costs"),
    "80": deposit.describedAs("With 80% confidence"),
    "95": deposit.describedAs("With 95% confidence"),
  }).describedAs("Level yearly deposit that funds all costs from a zero opening balance"),
});
export type PlanSummaryJson = WireOf<typeof planSummary>;

export const planSummaryView = planSummary.serializer(({ terms, asOf, sums, capital }: PlanSummary) => {
  const units = Math.max(sums.doors, 1);
  const { plannedCents, plannedInflatedCents, runToFailureCents, runToFailureInflatedCents } = capital.totals;
  return {
    as_of: asOf,
    years: terms.years,
    inflation_pct: terms.inflationPct,
    immediate: { component_count: sums.dueCount, cost: usdFromCents(sums.dueCents) },
    schedule: capital.schedule.map((year) => planYearView(year, units)),
    totals: {
      planned: usdFromCents(plannedCents),
      planned_inflated: usdFromCents(plannedInflatedCents),
      run_to_failure: usdFromCents(runToFailureCents),
      run_to_failure_inflated: usdFromCents(runToFailureInflatedCents),
      savings: usdFromCents(runToFailureCents - plannedCents),
    },
    level_deposit: {
      "50": depositView(capital.levelDeposit[50], units),
      "80": depositView(capital.levelDeposit[80], units),
      "95": depositView(capital.levelDeposit[95], units),
    },
  };
});

const costOfWaiting = usd(
  "Net cost of a 12-month delay, negative if waiting is cheaper: probability of failure times the extra cost of a " +
    "failure, minus one year of deferred replacement cost",
  162.5,
);

/** The fields of every budget. */
export const budgetFields = {
  amount: usd("The requested budget", 5000),
  spent: usd("Planned replacement cost of the chosen components", 4870),
  avoided: usd("Total cost of a 12-month delay of the chosen components, which the budget avoids", 2310.5),
};

export const budgetView = object(budgetFields).serializer((use: BudgetUse) => ({
  amount: usdFromCents(use.amountCents),
  spent: usdFromCents(use.spentCents),
  avoided: usdFromCents(use.avoidedCents),
}));

export const assumptions = textList("Assumptions and exclusions, as sentences", [
  "Costs inflate at 3% a year from year 2.",
]);

const plannedComponent = record("PlannedComponent", {
  component_id: id("C", "The component"),
  component_name: componentName,
  component_def_id: text("Type of component", "water_heater_gas_tank"),
  appliance_id: id("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: id("U", "The unit that the appliance serves").orNull(),
  age_years: ageYears,
  effective_age_years: number("Age adjusted for condition, use and service, in years", 9.1, { minimum: 0 }),
  expected_life_years: number("Median life of a new component in the same place, in years", 11.5, {
    minimum: 0,
  }),
  remaining_life_years: number("Expected life minus effective age, at least 0", 2.4, { minimum: 0 }),
  policy: enumOf<PolicyName>(
    ["replace_now", "replace_at_age", "run_to_failure"],
    "Replace now, replace at the due date, or run to failure",
  ),
  replace_on: day("Due date of the replacement").orNull(),
  optimal_age_years: number(
    "Economic replacement age of a new component of this type, in years",
    8.08,
  ).orNull(),
  yearly_cost: usd("Long-run yearly cost with this policy", 96.4),
  yearly_cost_run_to_failure: usd("Long-run yearly cost when run to failure", 182.1),
  cost_of_waiting_a_year: costOfWaiting,
  proactive_cost: proactiveCost,
  reactive_cost: reactiveCost,
  risk_score: riskScore,
  risk_tier: riskTier,
});
export type PlannedComponentJson = WireOf<typeof plannedComponent>;

export const plannedComponentView = plannedComponent.serializer(
  (knowledge: Knowledge, plan: ScheduledPlan<PlacedComponent>, asOf: Day) => {
    const { component, part, bestAgeMonths } = plan;
    const effectiveAge = round(part.ageYears, 2);
    const expectedLife = round(lifespanYearsOf(part), 2);
    const { name, proactiveCents, reactiveCents } = knowledge.component(component.defId);
    return {
      component_id: component.id,
      component_name: name,
      component_def_id: component.defId,
      appliance_id: component.applianceId,
      appliance_type: component.typeId,
      unit: component.unitId,
      age_years: round(ageYearsOf(component, component.scoredOn), 2),
      effective_age_years: effectiveAge,
      expected_life_years: expectedLife,
      remaining_life_years: round(Math.max(expectedLife - effectiveAge, 0), 2),
      policy: plan.policy,
      replace_on: dueOn(plan, asOf),
      optimal_age_years: bestAgeMonths === null ? null : round(bestAgeMonths / 12, 2),
      yearly_cost: wholeUsd(plan.yearlyCents),
      yearly_cost_run_to_failure: wholeUsd(plan.yearlyCentsRunToFailure),
      cost_of_waiting_a_year: wholeUsd(plan.waitingCents),
      proactive_cost: usdFromCents(proactiveCents),
      reactive_cost: usdFromCents(reactiveCents),
      risk_score: scoreFromHundredths(component.riskScore),
      risk_tier: component.riskTier,
    };
  },
);

export const propertyPlan = object({
  ...subject,
  unit_count: property.fields.unit_count,
  ...planSummary.fields,
  components: list("The components, highest cost of delay first", plannedComponent),
  budget: object({
    ...budgetFields,
    chosen: list(
      "The components to replace, selected by cost of delay per dollar until the budget is used. Components for which " +
        "waiting is cheaper are left out",
      id("C", "The component"),
    ),
  })
    .describedAs("The best use of the budget; null without a budget in the request")
    .orNull(),
  assumptions,
});
export type PropertyPlanJson = WireOf<typeof propertyPlan>;

type Planned = ReturnType<typeof plannedComponentView>;

/** `components`: the serialized plans of the components, in their order. The caller makes them, since there may be many. */
export const planView = propertyPlan.serializer(
  (made: PropertyPlan<PlacedComponent>, components: Planned[]) => ({
    ...subjectView(made.property),
    unit_count: made.property.unitCount,
    ...planSummaryView(made),
    components,
    budget: made.budget && { ...budgetView(made.budget), chosen: made.budget.chosen.map(({ id }) => id) },
    assumptions: assumptionsOf(made, made.plans),
  }),
);
export const planReply = forPartner(propertyPlan);

/** A component of a plan with its expected cost in each year: planned replacements and failures, in USD of today. */
export type ScheduledComponentJson = PlannedComponentJson & { yearly_costs: readonly number[] };
export type ScheduledPlanJson = Omit<PropertyPlanJson, "components"> & {
  components: readonly ScheduledComponentJson[];
};

/** Returns the expected cost of a component for each year in today's USD, planned replacements and failures combined. */
export const yearlyCosts = ({ years }: ScheduledPlan<PlacedComponent>): number[] =>
  Array.from(years.planned, (cents, index) => wholeUsd(cents + years.failures[index]!));

/** Returns the heading of a plan's table: the fields of a component, then a column for each year. */
export const planHeading = ({ capital }: PropertyPlan<PlacedComponent>): string[] => [
  ...Object.keys(plannedComponent.fields),
  ...capital.schedule.map(({ year }) => `year_${year}`),
];

/** Returns a component's row of that table. */
export const planCells = (knowledge: Knowledge, one: ScheduledPlan<PlacedComponent>, asOf: Day): Cell[] => [
  ...Object.values(plannedComponentView(knowledge, one, asOf)),
  ...yearlyCosts(one),
];

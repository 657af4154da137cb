import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { PolicyName } from "../domain/planning/advice.ts";
import type { PlanYear } from "../domain/planning/capital-plan.ts";
import { dueOn } from "../domain/planning/component-plan.ts";
import { lifespanYearsOf } from "../domain/planning/part.ts";
import {
  type BudgetUse,
  type DatedPlan,
  PLAN_LIMITS,
  type PlanSummary,
  type PropertyPlan,
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
import { ageYears, proactiveCost, reactiveCost, riskScore, riskTier } from "./scores.ts";

/* What to replace, when, and what waiting costs. What is said of a property alone, and what also of a portfolio. */

const wholeUsd = (cents: number) => usdFromCents(Math.round(cents));
const { years, inflationPct } = PLAN_LIMITS;

const planYear = record("PlanYear", {
  year: whole("1 is the year that begins now", 1),
  planned_cost: usd("Planned replacements, in today's money", 2450),
  failure_cost: usd("Failures, in today's money", 1180.4),
  total: usd("Both, in today's money", 3630.4),
  run_to_failure: usd("What the year costs if every component is run to failure, in today's money", 4410.1),
  total_inflated: usd("Both, in the money of the year", 3630.4),
  per_unit_inflated: usd("Both per unit, in the money of the year", 151.27),
});

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
  per_year: usd("Deposit a year", 3850),
  per_unit_per_year: usd("Deposit a year and unit", 160.42),
  per_unit_per_month: usd("Deposit a month and unit", 13.37),
});

const depositView = deposit.serializer((centsPerYear: number, units: number) => ({
  per_year: wholeUsd(centsPerYear),
  per_unit_per_year: wholeUsd(centsPerYear / units),
  per_unit_per_month: wholeUsd(centsPerYear / units / 12),
}));

/** What a plan says of a property and of a portfolio alike. */
export const planSummary = object({
  as_of: day("The day on which the plan begins"),
  years: integer("Years that it covers", years.usual, { minimum: years.least, maximum: years.most }),
  inflation_pct: number("Inflation, in per cent a year", inflationPct.usual, {
    ...{ minimum: inflationPct.least, maximum: inflationPct.most },
  }),
  immediate: object({
    component_count: whole("Number of components", 3),
    cost: usd("What replacing them as planned work costs", 2450),
  }).describedAs("What is due now"),
  schedule: list("What is to be expected in each year", planYear),
  totals: object({
    planned: usd("What the years cost by the plan, failures included, in today's money", 31_200.5),
    planned_inflated: usd("The same in the money of each year", 35_410.22),
    run_to_failure: usd("What they cost if every component is run to failure, in today's money", 44_100.1),
    run_to_failure_inflated: usd("The same in the money of each year", 50_180.9),
    savings: usd("What the plan saves, in today's money", 12_899.6),
  }).describedAs("All years together"),
  level_deposit: object({
    "50": deposit.describedAs("With a confidence of 50 %: what is to be expected"),
    "80": deposit.describedAs("With a confidence of 80 %"),
    "95": deposit.describedAs("With a confidence of 95 %"),
  }).describedAs(
    "The same deposit every year that keeps a reserve which starts at nothing from falling below it",
  ),
});

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

export const costOfWaiting = usd(
  "What a year of waiting costs beyond what it saves: the risk of a failure's extra cost, less a year of a well kept " +
    "component; below 0 waiting is the better choice",
  162.5,
);

/** What every budget says. */
export const budgetFields = {
  amount: usd("The budget asked about", 5000),
  spent: usd("What replacing the chosen as planned work costs", 4870),
  avoided: usd("What waiting a year with the chosen would cost, added up: what the money saves", 2310.5),
};

export const budgetView = object(budgetFields).serializer((use: BudgetUse) => ({
  amount: usdFromCents(use.amountCents),
  spent: usdFromCents(use.spentCents),
  avoided: usdFromCents(use.avoidedCents),
}));

export const assumptions = textList("What the plan rests on, and what is not in it, as sentences", [
  "Costs of later years are 3 % a year higher than today's.",
]);

const plannedComponent = record("PlannedComponent", {
  component_id: id("C", "The component"),
  component_name: componentName,
  component_def_id: text("Kind of component", "water_heater_gas_tank"),
  appliance_id: id("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: id("U", "The unit that the appliance serves").orNull(),
  age_years: ageYears,
  effective_age_years: number(
    "Age that its condition, use and service come to, in years of its expected life",
    9.1,
    { minimum: 0 },
  ),
  expected_life_years: number("Median life of a new one where it stands, in years", 11.5, { minimum: 0 }),
  remaining_life_years: number("Expected life less effective age, 0 where that is past", 2.4, { minimum: 0 }),
  policy: enumOf<PolicyName>(
    ["replace_now", "replace_at_age", "run_to_failure"],
    "Whether to replace it now, on the day when it is due, or once it has failed",
  ),
  replace_on: day("The day on which its replacement is due").orNull(),
  optimal_age_years: number("Age at which a new one of its kind is best replaced, in years", 8.08).orNull(),
  yearly_cost: usd("What its kind costs a year in the long run by that policy", 96.4),
  yearly_cost_run_to_failure: usd("What it costs a year in the long run when run to failure", 182.1),
  cost_of_waiting_a_year: costOfWaiting,
  proactive_cost: proactiveCost,
  reactive_cost: reactiveCost,
  risk_score: riskScore,
  risk_tier: riskTier,
});

export const plannedComponentView = plannedComponent.serializer(
  (knowledge: Knowledge, plan: DatedPlan<PlacedComponent>, asOf: Day) => {
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
  components: list("The components by cost of waiting, the highest first", plannedComponent),
  budget: object({
    ...budgetFields,
    chosen: list(
      "The components to replace with it, in this order: the highest cost of waiting per dollar first, of those with " +
        "which waiting costs anything, each that what is left still pays for",
      id("C", "The component"),
    ),
  })
    .describedAs("The best use of the budget; null where none was asked about")
    .orNull(),
  assumptions,
});

type Planned = ReturnType<typeof plannedComponentView>;

/** `components`: the view of each of its plans, in their order; there may be very many. */
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

/** What is to be expected of a component in each year, in USD of today, planned and failures together. */
export const yearlyCosts = ({ years }: DatedPlan<PlacedComponent>): number[] =>
  Array.from(years.planned, (cents, index) => wholeUsd(cents + years.failures[index]!));

/** The first row of a plan as a table: what the plan says of a component, and what it is expected to cost in each year. */
export const planHeading = ({ capital }: PropertyPlan<PlacedComponent>): string[] => [
  ...Object.keys(plannedComponent.fields),
  ...capital.schedule.map(({ year }) => `year_${year}`),
];

/** A component's row of it. */
export const planCells = (knowledge: Knowledge, one: DatedPlan<PlacedComponent>, asOf: Day): Cell[] => [
  ...Object.values(plannedComponentView(knowledge, one, asOf)),
  ...yearlyCosts(one),
];

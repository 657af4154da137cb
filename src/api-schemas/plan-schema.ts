import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { PolicyName } from "../domain/planning/appliance-plan.ts";
import type { CostSchedule } from "../domain/planning/cost-schedule.ts";
import { type LikelyFailures, likelyFailuresOf } from "../domain/planning/likely-failures.ts";
import { lifespanYearsOf } from "../domain/planning/part-in-place.ts";
import type { ComponentPlan, DueNow, WholePlan } from "../domain/planning/planned-appliance.ts";
import type { PropertyPlan } from "../domain/planning/property-plan-summary.ts";
import type { TwelveMonthReconciliation } from "../domain/planning/twelve-month-reconciliation.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import type { Work } from "../domain/work-mark.ts";
import { actionFields, dueNow, serializeAction } from "./action-schema.ts";
import { assumptionsField, serializeAssumptions } from "./assumptions-schema.ts";
import { applianceTypeId, componentName } from "./component-name-schema.ts";
import { costBasis, costFactor, costFields, costSize, serializeCosts } from "./costs-schema.ts";
import type { Cell } from "./definition/api-schema-table-cells.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  jsonScoreFromHundredths,
  jsonUsdFromCents,
  roundJsonNumber,
} from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { serializeSubject, subject } from "./figures-schema.ts";
import { flaggedAppliances, type HazardFlagJsonGatherer } from "./hazard-flag-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { PLAN_ASSUMPTIONS_COLUMN, serializePropertyPlanAssumptions } from "./plan-assumptions-schema.ts";
import {
  assumptions,
  budgetFields,
  CHOSEN,
  jsonWholeUsdFromCents,
  planSummary,
  serializeBudget,
  serializePlanSummary,
} from "./plan-summary-schema.ts";
import { property } from "./property-schema.ts";
import { figuresSchemaWithRecalculating } from "./recalculating-schema.ts";
import { ageYearsField, riskScore, riskTier } from "./score-schema.ts";
import { reconciliation, serializeTwelveMonthReconciliation } from "./twelve-month-reconciliation-schema.ts";
import { serializeWorkFields, workFields } from "./work-mark-schema.ts";

/* The plan of a property: its units and components, and the sums that it shares with the portfolio's plan. */

const costOfWaiting = usdSchema(
  "Net cost of a 12-month delay, negative if waiting is cheaper: probability of failure times the extra cost of a " +
    "failure, minus one year of deferred replacement cost",
  162.5,
);

const servedUnit = idSchema("U", "The unit that the appliance serves").orNull();
const effectiveAgeYears = numberSchema("Age adjusted for condition, use and service, in years", 9.1, {
  minimum: 0,
});
const remainingLifeYears = numberSchema("Expected life minus effective age, at least 0", 2.4, { minimum: 0 });
const urgency = {
  due_now: dueNow,
  comes_first: flagSchema(
    "Whether a budget buys it first: a hazard, a safety item past its life, or a unit that contains one",
    false,
  ),
};
const serializeUrgency = ({ dueNow, comesFirst }: { dueNow: DueNow | null; comesFirst: boolean }) => ({
  due_now: dueNow,
  comes_first: comesFirst,
});

const plannedUnit = recordSchema("PlannedUnit", {
  appliance_id: idSchema("A", "The appliance, which is replaced as a whole"),
  appliance_type: applianceTypeId,
  unit: servedUnit,
  age_years: ageYearsField,
  effective_age_years: effectiveAgeYears,
  expected_life_years: numberSchema("Expected life of a new unit in the same place, in years", 11.5, {
    minimum: 0,
  }),
  remaining_life_years: remainingLifeYears,
  policy: enumSchema<PolicyName>(
    ["replace_now", "replace_at_age", "run_to_failure"],
    "Replace now, replace at the due date, or keep until the principal part fails",
  ),
  replace_on: daySchema("Due date of the replacement").orNull(),
  optimal_age_years: numberSchema(
    "Economic replacement age of a new unit of this type, repairs included, in years",
    12.08,
  ).orNull(),
  wait_years: numberSchema("Years until the replacement is due", 3.58, { minimum: 0 }).orNull(),
  yearly_cost: usdSchema("Long-run yearly cost with this policy, repairs included", 203.55),
  cost_of_waiting_a_year: usdSchema(
    "Net cost of a 12-month delay, negative if waiting is cheaper: expected failures and repairs of the unit, minus the " +
      "long-run yearly cost",
    36.7,
  ),
  price: usdSchema("Cost of a planned replacement of the unit", 1200),
  failed_price: usdSchema("Cost of a replacement after a failure, damage included", 1560),
  cost_basis: costBasis,
  size: costSize,
  cost_factor: costFactor,
  ...urgency,
  ...actionFields,
  ...workFields,
});
export type PlannedUnitJson = JsonOf<typeof plannedUnit>;

export const serializePlannedUnit = plannedUnit.serializer(
  (knowledge: Knowledge, plan: WholePlan<PlacedComponent>, work?: Work) => {
    const { component, unit, price, dueInMonths, bestAgeMonths } = plan;
    const { whole } = knowledge.type(component.typeId);
    const effectiveAge = roundJsonNumber(unit.ageYears, 2);
    const expectedLife = roundJsonNumber(
      unit.principal ? lifespanYearsOf(unit.principal) : whole!.lifeYears!,
      2,
    );
    const isKept = dueInMonths === null;
    const { proactive_cost, reactive_cost, ...scaling } = serializeCosts(price);
    return {
      appliance_id: plan.applianceId,
      appliance_type: component.typeId,
      unit: component.unitId,
      age_years: roundJsonNumber(plan.calendarAgeYears, 2),
      effective_age_years: effectiveAge,
      expected_life_years: expectedLife,
      remaining_life_years: roundJsonNumber(Math.max(expectedLife - effectiveAge, 0), 2),
      policy: isKept ? "run_to_failure" : dueInMonths === 0 ? "replace_now" : "replace_at_age",
      replace_on: plan.dueOn,
      optimal_age_years: isKept ? null : roundJsonNumber(bestAgeMonths / 12, 2),
      wait_years: isKept ? null : roundJsonNumber(dueInMonths / 12, 2),
      yearly_cost: jsonWholeUsdFromCents(plan.yearlyCents),
      cost_of_waiting_a_year: jsonWholeUsdFromCents(plan.waitingCents),
      price: proactive_cost,
      failed_price: reactive_cost,
      ...scaling,
      ...serializeUrgency(plan),
      ...serializeAction(plan.action),
      ...serializeWorkFields(work),
    };
  },
);

const plannedComponent = recordSchema("PlannedComponent", {
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  component_def_id: textSchema("Type of component", "water_heater_gas_tank"),
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: servedUnit,
  age_years: ageYearsField,
  effective_age_years: effectiveAgeYears,
  expected_life_years: numberSchema("Median life of a new component in the same place, in years", 11.5, {
    minimum: 0,
  }),
  remaining_life_years: remainingLifeYears,
  policy: enumSchema<PolicyName>(
    ["replace_now", "replace_at_age", "run_to_failure", "with_unit"],
    "Replace now, replace at the due date, run to failure, or go with the unit, which is replaced as a whole",
  ),
  replace_on: daySchema("Due date of the replacement, of the component or of its unit").orNull(),
  optimal_age_years: numberSchema("Replacement age of a new component of this type, in years", 8.08).orNull(),
  yearly_cost: usdSchema("Long-run yearly cost with this policy", 96.4),
  yearly_cost_run_to_failure: usdSchema("Long-run yearly cost when run to failure", 182.1),
  cost_of_waiting_a_year: costOfWaiting,
  ...costFields,
  risk_score: riskScore,
  risk_tier: riskTier,
  ...urgency,
  ...actionFields,
  ...workFields,
});
export type PlannedComponentJson = JsonOf<typeof plannedComponent>;

export const serializePlannedComponent = plannedComponent.serializer(
  (knowledge: Knowledge, plan: ComponentPlan<PlacedComponent>, work?: Work) => {
    const { component, part, bestAgeMonths, price } = plan;
    const effectiveAge = roundJsonNumber(part.ageYears, 2);
    const expectedLife = roundJsonNumber(lifespanYearsOf(part), 2);
    return {
      component_id: component.id,
      component_name: knowledge.component(component.defId).name,
      component_def_id: component.defId,
      appliance_id: component.applianceId,
      appliance_type: component.typeId,
      unit: component.unitId,
      age_years: roundJsonNumber(ageYearsOf(component, component.scoredOn), 2),
      effective_age_years: effectiveAge,
      expected_life_years: expectedLife,
      remaining_life_years: roundJsonNumber(Math.max(expectedLife - effectiveAge, 0), 2),
      policy: plan.policy,
      replace_on: plan.dueOn,
      optimal_age_years: bestAgeMonths === null ? null : roundJsonNumber(bestAgeMonths / 12, 2),
      yearly_cost: jsonWholeUsdFromCents(plan.yearlyCents),
      yearly_cost_run_to_failure: jsonWholeUsdFromCents(plan.yearlyCentsRunToFailure),
      cost_of_waiting_a_year: jsonWholeUsdFromCents(plan.waitingCents),
      ...serializeCosts(price),
      risk_score: jsonScoreFromHundredths(component.riskScore),
      risk_tier: component.riskTier,
      ...serializeUrgency(plan),
      ...serializeAction(plan.action),
      ...serializeWorkFields(work),
    };
  },
);

const likelyFailures = objectSchema({
  count: wholeNumberSchema("Number of components", 4),
  cost: usdSchema("Their planned cost", 1_667_409),
});
const likelyFailuresField = likelyFailures.describedAs(
  "Components that are not due by the plan, but have a probability of 50% or more to fail within a year: an engineer may call " +
    "for their replacement. Those of appliances that are replaced as a whole are left out",
);
const serializeLikelyFailures = likelyFailures.serializer(({ count, plannedCents }: LikelyFailures) => ({
  count,
  cost: jsonUsdFromCents(plannedCents),
}));

export const propertyPlan = objectSchema({
  ...subject,
  unit_count: property.fields.unit_count,
  unit_label: property.fields.unit_label,
  ...planSummary.fields,
  units: listSchema("The appliances that are replaced as a whole, highest cost of delay first", plannedUnit),
  components: listSchema("The components, highest cost of delay first", plannedComponent),
  budget: objectSchema({
    ...budgetFields,
    chosen: listSchema(
      `The IDs of the units (appliances) and components to replace, ${CHOSEN}`,
      textSchema("ID", "A_…"),
    ),
  })
    .describedAs("The best use of the budget; null without a budget in the request")
    .orNull(),
  reconciliation,
  likely_failures: likelyFailuresField,
  flags: flaggedAppliances,
  assumptions,
  counted_assumptions: assumptionsField.assumptions,
});
export type PropertyPlanJson = JsonOf<typeof propertyPlan>;

/** A plan's units and components, the highest cost of delay first. */
export type PlanLines = {
  units: WholePlan<PlacedComponent>[];
  components: ComponentPlan<PlacedComponent>[];
};

type SerializedLines = {
  units: ReturnType<typeof serializePlannedUnit>[];
  components: ReturnType<typeof serializePlannedComponent>[];
};

/** `flags`: the known hazards among the planned appliances. `lines`: the serialized units and components, in their order. The caller makes them, since there may be many. */
export const serializePropertyPlan = propertyPlan.serializer(
  (
    made: PropertyPlan<PlacedComponent>,
    made12m: TwelveMonthReconciliation,
    flags: HazardFlagJsonGatherer,
    { units, components }: SerializedLines,
  ) => ({
    ...serializeSubject(made.property),
    unit_count: made.property.unitCount,
    unit_label: made.property.unitLabel,
    ...serializePlanSummary(made),
    units,
    components,
    budget: made.budget && {
      ...serializeBudget(made.budget),
      chosen: made.budget.chosen.map(({ id }) => id),
    },
    reconciliation: serializeTwelveMonthReconciliation(made12m),
    flags: flags.list(),
    counted_assumptions: serializeAssumptions(made.counted, made.modelVersion),
    likely_failures: serializeLikelyFailures(likelyFailuresOf(made.appliances)),
    assumptions: serializePropertyPlanAssumptions(made),
  }),
);

export const planReply = schemaWithPartner(figuresSchemaWithRecalculating(propertyPlan));

/** The expected cost of a unit or component in each year, at today's prices. */
type ScheduleYears = { yearly_costs: readonly number[] };
type ScheduledUnitJson = PlannedUnitJson & ScheduleYears;
/** A component of a unit has no costs of its own: those of the unit include them. */
type ScheduledComponentJson = PlannedComponentJson & ScheduleYears;
/** A plan with the costs of each unit and component by year. */
export type ScheduledPlanJson = Omit<PropertyPlanJson, "units" | "components"> & {
  units: readonly ScheduledUnitJson[];
  components: readonly ScheduledComponentJson[];
};

/** Returns the costs by year of a schedule: planned replacements, failures and repairs. */
export const yearlyCostsJson = (schedule: CostSchedule | null, years: number): number[] =>
  Array.from({ length: years }, (_, year) =>
    schedule
      ? jsonWholeUsdFromCents(schedule.planned[year]! + schedule.failures[year]! + schedule.repairs[year]!)
      : 0,
  );

/** The columns of a plan's table: the fields of a component, and the label of its unit beside the ID. */
const TABLE_FIELDS = Object.keys(plannedComponent.fields).flatMap((field) =>
  field === "unit" ? ["unit", "unit_label"] : [field],
);

/**
 * Returns the heading of a plan's table: the kind of line, the fields of a component, a column for each year, and the
 * assumptions, which the first line has.
 */
export const serializePlanTableHeading = ({ capital }: PropertyPlan<PlacedComponent>): string[] => [
  "line",
  ...TABLE_FIELDS,
  ...capital.schedule.map(({ year }) => `year_${year}`),
  PLAN_ASSUMPTIONS_COLUMN,
];

type PlanLine = WholePlan<PlacedComponent> | ComponentPlan<PlacedComponent>;

/** The data that the lines of a plan's table share. */
type PlanTable = {
  /** The labels of the property's units, and the marks on work, by IDs. */
  labels: ReadonlyMap<string, string>;
  work: ReadonlyMap<string, Work>;
  /** The first line, which has the assumptions. */
  first: PlanLine | undefined;
  assumptions: string;
};

/** Returns a row of that table: of a unit, whose costs include those of its parts, or of a component. */
export function serializePlanTableCells(
  knowledge: Knowledge,
  line: PlanLine,
  years: number,
  { labels, work, first, assumptions }: PlanTable,
): Cell[] {
  const note = line === first ? assumptions : null;
  const costs = yearlyCostsJson(line.schedule, years);
  const unit_label = labels.get(line.component.unitId ?? "") ?? null;
  if ("applianceId" in line) {
    const unit = serializePlannedUnit(knowledge, line, work.get(line.applianceId));
    const values: Readonly<Record<string, Cell>> = {
      ...unit,
      unit_label,
      component_name: knowledge.type(line.component.typeId).name,
      proactive_cost: unit.price,
      reactive_cost: unit.failed_price,
    };
    return ["unit", ...TABLE_FIELDS.map((field) => values[field] ?? null), ...costs, note];
  }
  const isOfUnit = line.schedule === null;
  const fields: Readonly<Record<string, Cell>> = {
    ...serializePlannedComponent(knowledge, line, work.get(line.component.id)),
    unit_label,
  };
  return [
    isOfUnit ? "component_of_unit" : "component",
    ...TABLE_FIELDS.map((field) => fields[field] ?? null),
    ...costs.map((cost) => (isOfUnit ? null : cost)),
    note,
  ];
}

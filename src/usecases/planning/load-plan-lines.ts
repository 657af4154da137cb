import { HazardFlagJsonGatherer } from "../../api-schemas/hazard-flag-schema.ts";
import {
  type PlanLines,
  serializePlannedComponent,
  serializePlannedUnit,
} from "../../api-schemas/plan-schema.ts";
import { unitLabelJson } from "../../api-schemas/property-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { elevatedCostExposureOf } from "../../domain/figures/elevated-cost-exposure.ts";
import { ExpectedCostAccumulator } from "../../domain/figures/expected-cost.ts";
import { failureCostOf } from "../../domain/figures/failure-cost.ts";
import { AssessmentAccumulator } from "../../domain/figures/property-assessment.ts";
import { ReserveAccumulator } from "../../domain/figures/reserve.ts";
import type { PropertyPlan } from "../../domain/planning/property-plan-summary.ts";
import {
  reconcileTwelveMonthFigures,
  type TwelveMonthReconciliation,
} from "../../domain/planning/twelve-month-reconciliation.ts";
import type { Property } from "../../domain/property.ts";
import { failureProbabilityWithin } from "../../domain/scoring/score-projections.ts";
import { sortInSteps } from "../../domain/steps/computation-steps.ts";
import { forEachYielding, mapYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import type { WorkBySubject } from "../work-marks/record-work-marks.ts";

/** The days of the forecast's longest window. */
const FORECAST_DAYS = 365;

/** Returns the units and components of a plan, the highest cost of delay first. */
export async function preparePlanLines(
  { appliances }: PropertyPlan<PlacedComponent>,
  yieldNow: Yield,
): Promise<PlanLines> {
  const units: PlanLines["units"] = [];
  const components: PlanLines["components"] = [];
  await forEachYielding(appliances, yieldNow, (appliance) => {
    if (appliance.unit) units.push(appliance.unit);
    for (const component of appliance.components) components.push(component);
  });
  const byUnit = sortInSteps(units, (a, b) => compare(a, b, a.applianceId < b.applianceId));
  const byComponent = sortInSteps(components, (a, b) => compare(a, b, a.component.id < b.component.id));
  return {
    units: await runYielding(byUnit, yieldNow),
    components: await runYielding(byComponent, yieldNow),
  };
}

type Waiting = { waitingCents: number };
const compare = (a: Waiting, b: Waiting, isFirst: boolean) =>
  b.waitingCents - a.waitingCents || (isFirst ? -1 : 1);

/** Returns the serialized units and components of a plan, the highest cost of delay first. */
export async function preparePlanLinesAsJson(
  knowledge: Knowledge,
  lines: PlanLines,
  work: WorkBySubject,
  yieldNow: Yield,
) {
  return {
    units: await mapYielding(lines.units, yieldNow, (unit) =>
      serializePlannedUnit(knowledge, unit, work.get(unit.applianceId)),
    ),
    components: await mapYielding(lines.components, yieldNow, (plan) =>
      serializePlannedComponent(knowledge, plan, work.get(plan.component.id)),
    ),
  };
}

/** Returns the known hazards among the planned appliances. */
export async function preparePlanHazards(
  knowledge: Knowledge,
  { appliances }: PropertyPlan<PlacedComponent>,
  yieldNow: Yield,
): Promise<HazardFlagJsonGatherer> {
  const flags = new HazardFlagJsonGatherer(knowledge);
  await forEachYielding(appliances, yieldNow, ({ components }) => {
    for (const { component } of components) flags.add(component);
  });
  return flags;
}

/** Returns how the plan's figures of 12 months fit together with the others of the property. */
export async function preparePlanReconciliation(
  prices: PriceList,
  { appliances, sums, property }: PropertyPlan<PlacedComponent>,
  yieldNow: Yield,
): Promise<TwelveMonthReconciliation> {
  const { knowledge } = prices;
  const assessment = new AssessmentAccumulator(prices);
  const reserve = new ReserveAccumulator(prices, 12);
  const expected = new ExpectedCostAccumulator();
  await forEachYielding(appliances, yieldNow, ({ components }) => {
    for (const { component } of components) {
      assessment.add(component);
      reserve.add(component);
      const probability = failureProbabilityWithin(knowledge, component, component.brandTier, FORECAST_DAYS);
      const lossClass = knowledge.lossClass(knowledge.component(component.defId).system);
      expected.add(probability, failureCostOf(prices.ofComponent(component), lossClass));
    }
  });
  const { deferredCents, reactiveCents } = elevatedCostExposureOf(assessment.assessment);
  return reconcileTwelveMonthFigures(sums, {
    forecastCents: Math.round(expected.expected.mean),
    deferredCents,
    exposureCents: reactiveCents,
    reserveCents: reserve.reserve(property.unitCount).propertyPerMonth,
  });
}

/** Returns the labels of a property's units, by their IDs. */
export async function loadPlanUnitLabels(
  { units }: Pick<Stores, "units">,
  { id, unitCount }: Pick<Property, "id" | "unitCount">,
): Promise<ReadonlyMap<string, string>> {
  const all = await units.page(id, { limit: unitCount, offset: 0 });
  return new Map(all.map((unit) => [unit.id, unitLabelJson(unit)]));
}

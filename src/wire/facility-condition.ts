import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { AssessmentAccumulator } from "../domain/figures/assessment.ts";
import {
  type FacilityCondition,
  facilityConditionOf,
  VALUE_BASES,
} from "../domain/figures/facility-condition.ts";
import { ApplianceGroups } from "../domain/planning/appliance-groups.ts";
import { PlanSumsAccumulator } from "../domain/planning/plan-sums.ts";
import { type PlanContext, planStoredAppliance } from "../domain/planning/planned-appliance.ts";
import { dayOf, type Instant } from "../domain/time.ts";
import type { FigureAccumulator } from "./figure-accumulator.ts";
import { enumOf, number, object, usd } from "./schema/fields.ts";
import { round, usdFromCents } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";

const facilityCondition = object({
  value: number(
    "What is due now as a share of the replacement value: high is bad; null without a value",
    0.0312,
    { minimum: 0 },
  ).orNull(),
  due_now: usd("Cost of what the plan says is due now, each unit once", 14_500),
  replacement_value: usd("Replacement value of the building", 465_000),
  basis: enumOf(
    VALUE_BASES,
    "Where the replacement value comes from: the property's `replacement_value`, its `gross_area_sqft`, or the value of its " +
      "equipment divided by 0.45",
    "equipment",
  ),
});

/** The field of answers with a property's condition. */
export const facilityConditionField = {
  fci: facilityCondition.describedAs(
    "Facility condition index as facility managers use it. It stands beside the condition score, which follows from the tiers " +
      "of the components",
  ),
};

const view = facilityCondition.serializer(({ index, dueCents, valueCents, basis }: FacilityCondition) => ({
  value: index === null ? null : round(index, 4),
  due_now: usdFromCents(dueCents),
  replacement_value: usdFromCents(valueCents),
  basis,
}));

/** Due dates and costs of this day do not depend on the years of a schedule. */
const SHORTEST = 1;

/** Returns the figure with the facility condition index. */
export function withFacilityCondition<Written extends object>(
  planning: PlanContext<PlacedComponent>,
  prices: PriceList,
  now: Instant,
  figure: FigureAccumulator<Written>,
): FigureAccumulator<Written & { fci: WireOf<typeof facilityCondition> }> {
  const equipment = new AssessmentAccumulator(prices);
  const groups = new ApplianceGroups<PlacedComponent>(planning.knowledge);
  const sums = new PlanSumsAccumulator(SHORTEST);
  const plan = (group: readonly PlacedComponent[]) =>
    sums.add(planStoredAppliance(planning, group, dayOf(now), SHORTEST));
  return {
    add(component) {
      equipment.add(component);
      const group = groups.add(component);
      if (group) plan(group);
      return figure.add(component);
    },
    *write(property, context) {
      for (const group of groups.rest()) {
        plan(group);
        yield;
      }
      const { due } = sums.sums({ unitCount: 0, areaSqft: null });
      const index = facilityConditionOf(
        property,
        due.cents,
        equipment.assessment.rcvCents,
        planning.knowledge.buildingCentsPerSqft,
      );
      return { ...(yield* figure.write(property, context)), fci: view(index) };
    },
  };
}

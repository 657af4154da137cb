import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import { AssumptionsAccumulator } from "../../domain/figures/assumptions.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { ApplianceComponentGroups } from "../../domain/planning/appliance-component-groups.ts";
import { type BudgetCandidate, compareBudgetRanks, spendBudget } from "../../domain/planning/budget.ts";
import { budgetCandidatesOfAppliance } from "../../domain/planning/budget-candidates.ts";
import type { Plannable } from "../../domain/planning/component-plan.ts";
import { MAX_PLAN_YEARS } from "../../domain/planning/horizon.ts";
import { planContextOf } from "../../domain/planning/plan-context.ts";
import { PlanSumsAccumulator } from "../../domain/planning/plan-sums.ts";
import type { PlanTerms } from "../../domain/planning/plan-terms.ts";
import {
  type PlanContext,
  type PlannedAppliance,
  planStoredAppliance,
} from "../../domain/planning/planned-appliance.ts";
import { type BudgetUse, type PropertyPlan, planSummaryOf } from "../../domain/planning/property-plan.ts";
import type { Property } from "../../domain/property.ts";
import { sortInSteps } from "../../domain/steps/steps.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import { forEachYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import { iterateStoredComponents } from "../../store/iterate-stored-components.ts";
import type { Store } from "../../store/store.ts";
import { modelVersionOf } from "../calibration/active-model.ts";
import { currentPartnerPrices } from "../costs/partner-prices.ts";

export type PlanDeps = {
  store: Pick<Store, "read" | "write" | "inReadSnapshot">;
  knowledge: Knowledge;
  clock: () => Instant;
  yieldNow: Yield;
  signal?: AbortSignal;
};

/** The approximate memory of a component with its plan, in bytes. */
const PLAN_BYTES = 4000;

/** Returns a property's plan as of today, from the current scores of its components. */
export async function planProperty(
  {
    store,
    knowledge,
    clock,
    yieldNow,
  }: Omit<PlanDeps, "store"> & { store: Pick<Store, "read" | "inReadSnapshot"> },
  property: Property,
  terms: PlanTerms,
  reserve: (bytes: number) => void = () => {},
): Promise<PropertyPlan<PlacedComponent>> {
  const components: PlacedComponent[] = [];
  const visit = (component: PlacedComponent) => {
    components.push(component);
    return PLAN_BYTES;
  };
  await iterateStoredComponents(store, property.id, visit, yieldNow, reserve);
  const modelVersion = await modelVersionOf(store.read, knowledge);
  const prices = await currentPartnerPrices(store.read, knowledge, property.partnerId);
  return await planLoadedProperty({ prices, clock, yieldNow, modelVersion }, property, components, terms);
}

/** Returns the plan of a property whose components are loaded. */
export async function planLoadedProperty(
  deps: Pick<PlanDeps, "clock" | "yieldNow"> & { prices: PriceList; modelVersion: string },
  property: Property,
  components: readonly PlacedComponent[],
  terms: PlanTerms,
): Promise<PropertyPlan<PlacedComponent>> {
  const { prices, clock, yieldNow, modelVersion } = deps;
  const asOf = dayOf(clock());
  const { appliances, sums } = await planComponentsYielding(
    planContextOf(prices),
    components,
    asOf,
    yieldNow,
  );
  const counted = new AssumptionsAccumulator(prices.knowledge);
  await forEachYielding(appliances, yieldNow, ({ components }) => {
    for (const { component, price } of components) counted.add(component, price);
  });
  return {
    ...planSummaryOf(terms, asOf, sums.sums(planSizeOf(property)), {
      modelVersion,
      counted: counted.assumptions,
    }),
    property,
    appliances,
    budget:
      terms.budgetCents === null
        ? null
        : await spendBudgetOnAppliancesYielding(appliances, terms.budgetCents, yieldNow),
  };
}

/** Returns the size of a property, by which the figures of a plan are divided. */
export const planSizeOf = ({ unitCount, grossAreaSqft }: Pick<Property, "unitCount" | "grossAreaSqft">) => ({
  unitCount,
  areaSqft: grossAreaSqft,
});

/** Returns the plans of the appliances of the components, in the order of their first components, and their sums. */
export async function planComponentsYielding<C extends Plannable>(
  context: PlanContext<C>,
  components: readonly C[],
  asOf: Day,
  yieldNow: Yield,
  years = MAX_PLAN_YEARS,
): Promise<{ appliances: PlannedAppliance<C>[]; sums: PlanSumsAccumulator }> {
  const groups = new ApplianceComponentGroups<C>(context.knowledge);
  const sums = new PlanSumsAccumulator(years);
  const appliances: PlannedAppliance<C>[] = [];
  const plan = (group: readonly C[] | undefined) => {
    if (!group) return;
    const planned = planStoredAppliance(context, group, asOf, years);
    sums.add(planned);
    appliances.push(planned);
  };
  await forEachYielding(components, yieldNow, (component) => plan(groups.add(component)));
  await forEachYielding(groups.rest(), yieldNow, plan);
  return { appliances, sums };
}

/** Returns the best use of a budget among the appliances' units and parts. */
export async function spendBudgetOnAppliancesYielding<C extends Plannable>(
  appliances: readonly PlannedAppliance<C>[],
  amountCents: number,
  yieldNow: Yield,
): Promise<BudgetUse> {
  const use: BudgetUse = { amountCents, chosen: [], spentCents: 0, avoidedCents: 0 };
  const candidates: BudgetCandidate[] = [];
  await forEachYielding(
    appliances,
    yieldNow,
    (appliance) => void candidates.push(...budgetCandidatesOfAppliance(appliance)),
  );
  spendBudget(use, amountCents, await runYielding(sortInSteps(candidates, compareBudgetRanks), yieldNow));
  return use;
}

import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { AssumptionsAccumulator } from "../../domain/figures/assumptions.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import { propertySizeOfPlan } from "../../domain/planning/plan-sums.ts";
import type { PlanTerms } from "../../domain/planning/plan-terms.ts";
import {
  planComponentsInSteps,
  spendBudgetOnAppliancesInSteps,
} from "../../domain/planning/planned-components.ts";
import { type PropertyPlan, planSummaryOf } from "../../domain/planning/property-plan-summary.ts";
import type { Property } from "../../domain/property.ts";
import { dayOf, type Instant } from "../../domain/time.ts";
import { forEachYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import type { Store } from "../../store/store.ts";
import { loadActiveModelVersion } from "../calibration/load-active-model.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";

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
export async function loadPropertyPlan(
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
  await selectStoredComponents(store, property.id, visit, yieldNow, reserve);
  const modelVersion = await loadActiveModelVersion(store.read, knowledge);
  const prices = await loadCurrentPartnerPrices(store.read, knowledge, property.partnerId);
  return await prepareLoadedPropertyPlan(
    { prices, clock, yieldNow, modelVersion },
    property,
    components,
    terms,
  );
}

/** Returns the plan of a property whose components are loaded. */
export async function prepareLoadedPropertyPlan(
  deps: Pick<PlanDeps, "clock" | "yieldNow"> & { prices: PriceList; modelVersion: string },
  property: Property,
  components: readonly PlacedComponent[],
  terms: PlanTerms,
): Promise<PropertyPlan<PlacedComponent>> {
  const { prices, clock, yieldNow, modelVersion } = deps;
  const asOf = dayOf(clock());
  const { appliances, sums } = await runYielding(
    planComponentsInSteps(planContextOfPrices(prices), components, asOf),
    yieldNow,
  );
  const counted = new AssumptionsAccumulator(prices.knowledge);
  await forEachYielding(appliances, yieldNow, ({ components }) => {
    for (const { component, price } of components) counted.add(component, price);
  });
  return {
    ...planSummaryOf(terms, asOf, sums.sums(propertySizeOfPlan(property)), {
      modelVersion,
      counted: counted.assumptions,
    }),
    property,
    appliances,
    budget:
      terms.budgetCents === null
        ? null
        : await runYielding(spendBudgetOnAppliancesInSteps(appliances, terms.budgetCents), yieldNow),
  };
}

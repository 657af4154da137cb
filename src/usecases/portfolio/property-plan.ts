import { LRUCache } from "lru-cache";
import type { PlacedComponent } from "../../domain/component.ts";
import { doorCount } from "../../domain/figures/assessment.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { byBenefitCostRatio, type Candidate, spendBudget } from "../../domain/planning/budget.ts";
import {
  type ComponentPlan,
  candidateOf,
  type Plannable,
  planComponent,
} from "../../domain/planning/component-plan.ts";
import { type PlanSums, toStoredYearlyCosts } from "../../domain/planning/plan-sums.ts";
import {
  type BudgetUse,
  type PlanTerms,
  type PropertyPlan,
  planSummaryOf,
  type ScheduledPlan,
} from "../../domain/planning/property-plan.ts";
import type { NewPart } from "../../domain/planning/renewals.ts";
import { addYearlyCosts, emptyYearlyCosts, type YearlyCosts } from "../../domain/planning/schedule.ts";
import type { Property } from "../../domain/property.ts";
import { sortInSteps } from "../../domain/steps.ts";
import { dayOf, type Instant } from "../../domain/time.ts";
import { forEachYielding, mapYielding, runYielding, type Yield } from "../../event-loop.ts";
import { iterateComponents } from "../../store/paged-iteration.ts";
import type { Store } from "../../store/store.ts";
import { modelVersionOf } from "../calibration/active-model.ts";

/** Plan data of new components, which depends only on kind, life and costs; 9 KB each. */
export const newParts = new LRUCache<string, NewPart>({ max: 1000 });

export type PlanDeps = {
  store: Pick<Store, "read" | "write" | "inReadSnapshot">;
  knowledge: Knowledge;
  clock: () => Instant;
  yieldNow: Yield;
  signal?: AbortSignal;
};

/** The approximate memory of a component with its plan, in bytes. */
const PLAN_BYTES = 3000;

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
  await iterateComponents(store, property.id, visit, yieldNow, reserve);
  const modelVersion = await modelVersionOf(store.read, knowledge);
  return await planLoadedProperty({ knowledge, clock, yieldNow, modelVersion }, property, components, terms);
}

/** Returns the plan of a property whose components are loaded. */
export async function planLoadedProperty(
  deps: Pick<PlanDeps, "knowledge" | "clock" | "yieldNow"> & { modelVersion: string },
  property: Property,
  components: readonly PlacedComponent[],
  terms: PlanTerms,
): Promise<PropertyPlan<PlacedComponent>> {
  const { knowledge, clock, yieldNow, modelVersion } = deps;
  const { plans, years } = await planComponents(knowledge, components, terms.years, yieldNow);
  const candidates = await mapYielding(plans, yieldNow, (plan) => candidateOf(knowledge, plan));
  const sums = sumsOf(plans, candidates, property, years);
  await yieldNow();
  return {
    ...planSummaryOf(terms, dayOf(clock()), sums, modelVersion),
    property,
    plans,
    budget: terms.budgetCents === null ? null : await spendOn(candidates, terms.budgetCents, yieldNow),
  };
}

function sumsOf(
  plans: readonly ComponentPlan<Plannable>[],
  candidates: readonly Candidate[],
  { unitCount }: Property,
  years: YearlyCosts,
): PlanSums {
  const due = candidates.filter((_, index) => plans[index]!.policy === "replace_now");
  const add = (pick: (candidate: Candidate) => number) => due.reduce((sum, one) => sum + pick(one), 0);
  return {
    doors: doorCount(unitCount),
    dueCount: due.length,
    dueCents: add(({ plannedCents }) => plannedCents),
    dueWaitingCents: add(({ waitingCents }) => waitingCents),
    years: toStoredYearlyCosts(years),
  };
}

/**
 * Returns the plans of the components over a number of years, highest cost of waiting first, and the sums of all
 * years.
 */
export async function planComponents<C extends Plannable>(
  knowledge: Knowledge,
  components: readonly C[],
  years: number,
  yieldNow: Yield,
): Promise<{ plans: ScheduledPlan<C>[]; years: YearlyCosts }> {
  const total = emptyYearlyCosts(years);
  const plans: ScheduledPlan<C>[] = [];
  await forEachYielding(components, yieldNow, (component) => {
    const own = emptyYearlyCosts(years);
    plans.push({ ...planComponent(knowledge, component, newParts, own), years: own });
    addYearlyCosts(total, own);
  });
  return { plans: await runYielding(sortInSteps(plans, inOrderOfWaiting), yieldNow), years: total };
}

const inOrderOfWaiting = (a: ComponentPlan<Plannable>, b: ComponentPlan<Plannable>) =>
  b.waitingCents - a.waitingCents || (a.component.id < b.component.id ? -1 : 1);

/** Returns the best use of a budget among the candidates. */
export async function spendOn(
  candidates: readonly Candidate[],
  amountCents: number,
  yieldNow: Yield,
): Promise<BudgetUse> {
  const use: BudgetUse = { amountCents, chosen: [], spentCents: 0, avoidedCents: 0 };
  spendBudget(use, amountCents, await runYielding(sortInSteps(candidates, byBenefitCostRatio), yieldNow));
  return use;
}

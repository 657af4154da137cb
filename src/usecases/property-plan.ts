import { LRUCache } from "lru-cache";
import type { PlacedComponent } from "../domain/component.ts";
import { doors } from "../domain/figures/assessment.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { byWorth, type Candidate, spend } from "../domain/planning/budget.ts";
import {
  type ComponentPlan,
  candidateOf,
  type Plannable,
  planComponent,
} from "../domain/planning/component-plan.ts";
import { type PlanSums, roundYears } from "../domain/planning/plan-sums.ts";
import {
  type BudgetUse,
  type DatedPlan,
  type PlanTerms,
  type PropertyPlan,
  summaryOf,
} from "../domain/planning/property-plan.ts";
import type { NewPart } from "../domain/planning/renewals.ts";
import { addYears, emptyYears, type Years } from "../domain/planning/schedule.ts";
import type { Property } from "../domain/property.ts";
import { sortedInSteps } from "../domain/steps.ts";
import { dayOf, type Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import { modelVersionOf } from "./model-in-use.ts";
import { finishedInTurns, inTurns, madeInTurns, type Pause, walkComponents } from "./walk.ts";

/** What is known of the new parts of so many kinds, 9 KB each: what depends on kind, life and costs alone. */
export const newParts = new LRUCache<string, NewPart>({ max: 1000 });

export type PlanWorld = {
  store: Pick<Store, "read" | "write" | "inReadSnapshot">;
  knowledge: Knowledge;
  clock: () => Instant;
  pause: Pause;
  signal?: AbortSignal;
};

/** About what a component takes with its plan. */
const PLAN_BYTES = 3000;

/** A property's plan as of today, of the scores that its components have now. */
export async function planProperty(
  {
    store,
    knowledge,
    clock,
    pause,
  }: Omit<PlanWorld, "store"> & { store: Pick<Store, "read" | "inReadSnapshot"> },
  property: Property,
  terms: PlanTerms,
  hold: (bytes: number) => void = () => {},
): Promise<PropertyPlan<PlacedComponent>> {
  const components: PlacedComponent[] = [];
  const visit = (component: PlacedComponent) => {
    components.push(component);
    return PLAN_BYTES;
  };
  await walkComponents(store, property.id, visit, hold);
  const modelVersion = await modelVersionOf(store.read, knowledge);
  return await planOf({ knowledge, clock, pause, modelVersion }, property, components, terms);
}

/** The plan of a property whose components are at hand. */
export async function planOf(
  world: Pick<PlanWorld, "knowledge" | "clock" | "pause"> & { modelVersion: string },
  property: Property,
  components: readonly PlacedComponent[],
  terms: PlanTerms,
): Promise<PropertyPlan<PlacedComponent>> {
  const { knowledge, clock, pause, modelVersion } = world;
  const { plans, years } = await planComponents(knowledge, components, terms.years, pause);
  const candidates = await madeInTurns(plans, pause, (plan) => candidateOf(knowledge, plan));
  const sums = sumsOf(plans, candidates, property, years);
  await pause();
  return {
    ...summaryOf(terms, dayOf(clock()), sums, modelVersion),
    property,
    plans,
    budget: terms.budgetCents === null ? null : await spendOn(candidates, terms.budgetCents, pause),
  };
}

function sumsOf(
  plans: readonly ComponentPlan<Plannable>[],
  candidates: readonly Candidate[],
  { unitCount }: Property,
  years: Years,
): PlanSums {
  const due = candidates.filter((_, index) => plans[index]!.policy === "replace_now");
  const add = (pick: (candidate: Candidate) => number) => due.reduce((sum, one) => sum + pick(one), 0);
  return {
    doors: doors(unitCount),
    dueCount: due.length,
    dueCents: add(({ plannedCents }) => plannedCents),
    dueWaitingCents: add(({ waitingCents }) => waitingCents),
    years: roundYears(years),
  };
}

/** The plans of some components over some years, by cost of waiting, the highest first, and all their years together. */
export async function planComponents<C extends Plannable>(
  knowledge: Knowledge,
  components: readonly C[],
  years: number,
  pause: Pause,
): Promise<{ plans: DatedPlan<C>[]; years: Years }> {
  const total = emptyYears(years);
  const plans: DatedPlan<C>[] = [];
  await inTurns(components, pause, (component) => {
    const own = emptyYears(years);
    plans.push({ ...planComponent(knowledge, component, newParts, own), years: own });
    addYears(total, own);
  });
  return { plans: await finishedInTurns(sortedInSteps(plans, inOrderOfWaiting), pause), years: total };
}

const inOrderOfWaiting = (a: ComponentPlan<Plannable>, b: ComponentPlan<Plannable>) =>
  b.waitingCents - a.waitingCents || (a.component.id < b.component.id ? -1 : 1);

/** The best use of a budget among candidates. */
export async function spendOn(
  candidates: readonly Candidate[],
  amountCents: number,
  pause: Pause,
): Promise<BudgetUse> {
  const use: BudgetUse = { amountCents, chosen: [], spentCents: 0, avoidedCents: 0 };
  spend(use, amountCents, await finishedInTurns(sortedInSteps(candidates, byWorth), pause));
  return use;
}

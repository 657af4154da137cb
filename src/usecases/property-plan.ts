import { LRUCache } from "lru-cache";
import type { Knowledge } from "../domain/knowledge.ts";
import { byWorth, type Candidate, type Spending, spend } from "../domain/planning/budget.ts";
import {
  type ComponentPlan,
  candidateOf,
  type Plannable,
  planComponent,
} from "../domain/planning/component-plan.ts";
import type { NewPart } from "../domain/planning/renewals.ts";
import { addYears, emptyYears, type Years } from "../domain/planning/schedule.ts";

/** What is known of the new parts of so many kinds, 9 KB each: what depends on kind, life and costs alone. */
export const newParts = new LRUCache<string, NewPart>({ max: 1000 });

/** Lets others have their turn between two steps. */
export type Pause = () => Promise<void>;
const TURN_MS = 4;

/** A component's plan with what is to be expected of it in each year. */
export type DatedPlan<C> = ComponentPlan<C> & { years: Years };

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
  plans.sort((a, b) => b.waitingCents - a.waitingCents || (a.component.id < b.component.id ? -1 : 1));
  return { plans, years: total };
}

/** The best use of a budget among planned components. */
export function spendOn(
  knowledge: Knowledge,
  plans: readonly ComponentPlan<Plannable>[],
  amountCents: number,
): Spending<Candidate> {
  const spending: Spending<Candidate> = { chosen: [], spentCents: 0, avoidedCents: 0 };
  const candidates = plans.map((plan) => candidateOf(knowledge, plan));
  spend(spending, amountCents, candidates.sort(byWorth));
  return spending;
}

/** Visits each item, with a pause whenever that has held the event loop for a few milliseconds. */
export async function inTurns<T>(items: Iterable<T>, pause: Pause, visit: (item: T) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    visit(item);
    if (performance.now() - since < TURN_MS) continue;
    await pause();
    since = performance.now();
  }
}

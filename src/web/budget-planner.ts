import { byBenefitCostRatio, type Candidate, type Spending, spendBudget } from "../domain/planning/budget.ts";
import { forEachInSteps, mapInSteps, runSteps, type Steps, sortInSteps } from "../domain/steps.ts";
import type { PlannedComponentJson } from "../wire/plan.ts";
import { componentKind } from "./grouping.ts";
import type { Locations } from "./labels.ts";

/** The candidates of the budget planner, in a form small enough to embed in a page. */
export type BudgetCandidates = {
  /** The kinds of components, with the cost of replacing one. */
  kinds: readonly { name: string; where: string; cents: number }[];
  /** Each component with a positive cost of delay, in order of selection: the index of its kind, and that cost in cents. */
  components: readonly (readonly [kind: number, waitingCents: number])[];
};

const cents = (usd: number) => Math.round(usd * 100);

export function* candidatesInSteps(
  components: readonly PlannedComponentJson[],
  locations: Locations,
): Steps<BudgetCandidates> {
  const kinds: BudgetCandidates["kinds"][number][] = [];
  const numbers = new Map<string, number>();
  const parts = yield* mapInSteps(
    components.filter((one) => one.cost_of_waiting_a_year > 0),
    (one) => {
      const key = componentKind(one);
      const kind = numbers.get(key) ?? kinds.length;
      if (kind === kinds.length) {
        numbers.set(key, kind);
        const where = locations.typeName(one.appliance_type);
        kinds.push({ name: one.component_name, where, cents: cents(one.proactive_cost) });
      }
      const waitingCents = cents(one.cost_of_waiting_a_year);
      return { id: one.component_id, plannedCents: kinds[kind]!.cents, waitingCents, kind };
    },
  );
  const inOrder = yield* sortInSteps(parts, byBenefitCostRatio);
  return { kinds, components: inOrder.map(({ kind, waitingCents }) => [kind, waitingCents]) };
}

/** Identical components that are selected together, or left out together. */
export type BudgetLine = {
  name: string;
  where: string;
  /** The address of its page, if there is one. */
  address?: string;
  count: number;
  costUsd: number;
  delayCostUsd: number;
};

export type BudgetResult = {
  /** The number of components selected. */
  count: number;
  spentUsd: number;
  avoidedUsd: number;
  remainingUsd: number;
  /** Highest cost of delay first, as is `left`. */
  included: BudgetLine[];
  excluded: BudgetLine[];
};

/** Selects the components that a budget covers. */
export const allocateBudget = (offer: BudgetCandidates, amountUsd: number): BudgetResult =>
  runSteps(allocateBudgetInSteps(offer, amountUsd));

/** Selects the components that a budget covers, in steps, for properties with many of them. */
export function* allocateBudgetInSteps(offer: BudgetCandidates, amountUsd: number): Steps<BudgetResult> {
  let place = 0;
  const candidates = yield* mapInSteps(offer.components, ([kind, waitingCents]) => {
    const plannedCents = offer.kinds[kind]!.cents;
    return { id: String(place++), plannedCents, waitingCents, kind };
  });
  const spending: Spending<(typeof candidates)[number]> = { chosen: [], spentCents: 0, avoidedCents: 0 };
  spendBudget(spending, cents(amountUsd), candidates);
  yield;
  const chosen = new Set(spending.chosen);
  const left: typeof candidates = [];
  yield* forEachInSteps(candidates, (one) => {
    if (!chosen.has(one)) left.push(one);
  });
  return {
    count: spending.chosen.length,
    spentUsd: spending.spentCents / 100,
    avoidedUsd: spending.avoidedCents / 100,
    remainingUsd: left.reduce((sum, one) => sum + one.waitingCents, 0) / 100,
    included: yield* linesOf(offer, spending.chosen),
    excluded: yield* linesOf(offer, left),
  };
}

function* linesOf(
  offer: BudgetCandidates,
  parts: readonly (Candidate & { kind: number })[],
): Steps<BudgetLine[]> {
  const lots = new Map<number, BudgetLine>();
  yield* forEachInSteps(parts, ({ kind, plannedCents, waitingCents }) => {
    const { name, where } = offer.kinds[kind]!;
    const lot = lots.get(kind) ?? { name, where, count: 0, costUsd: 0, delayCostUsd: 0 };
    lots.set(kind, lot);
    lot.count++;
    lot.costUsd += plannedCents / 100;
    lot.delayCostUsd += waitingCents / 100;
  });
  return [...lots.values()].sort((a, b) => b.delayCostUsd - a.delayCostUsd);
}

/** The range of a budget slider in USD: from zero to the cost of all candidates, in round steps. */
export type SliderRange = { most: number; step: number };

export const sliderRange = ({ kinds, components: parts }: BudgetCandidates): SliderRange =>
  sliderRangeUpTo(parts.reduce((sum, [kind]) => sum + kinds[kind]!.cents, 0) / 100);

export function sliderRangeUpTo(all: number): SliderRange {
  const rough = Math.max(all / 100, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
  return { most: Math.ceil(all / step) * step, step };
}

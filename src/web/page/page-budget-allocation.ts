import type { PropertyPlanJson } from "../../api-schemas/plan-schema.ts";
import {
  type BudgetCandidate,
  type BudgetSpending,
  compareBudgetRanks,
  isWorthBuying,
  spendBudget,
} from "../../domain/planning/budget.ts";
import {
  forEachInSteps,
  mapInSteps,
  runSteps,
  type Steps,
  sortInSteps,
} from "../../domain/steps/computation-steps.ts";
import type { ApplianceNames } from "./page-appliance-names.ts";
import { pagePlanLineKindKey, pagePlanLines } from "./page-plan-lines.ts";

/** The candidates of the budget planner, in a form small enough to embed in a page. */
export type BudgetCandidates = {
  /** The kinds of units and components, with the cost of replacing one. */
  kinds: readonly { name: string; where: string; cents: number }[];
  /**
   * Each unit and component that is worth buying, in order of selection: the index of its kind, its cost of delay in cents, and
   * 1 if it comes first.
   */
  components: readonly (readonly [kind: number, waitingCents: number, isUrgent?: 1])[];
};

const cents = (usd: number) => Math.round(usd * 100);

/** Lists the units and components that are worth buying, in order of selection. */
export function* pageBudgetCandidates(
  plan: Pick<PropertyPlanJson, "units" | "components">,
  applianceNames: ApplianceNames,
): Steps<BudgetCandidates> {
  const kinds: BudgetCandidates["kinds"][number][] = [];
  const indexes = new Map<string, number>();
  const all = yield* pagePlanLines(plan, applianceNames);
  const lines = all.filter(({ policy }) => policy !== "with_unit");
  const candidates = yield* mapInSteps(lines, (planLine) => {
    const key = `${pagePlanLineKindKey(planLine)} ${planLine.cost}`;
    const kind = indexes.get(key) ?? kinds.length;
    if (kind === kinds.length) {
      indexes.set(key, kind);
      const where = planLine.isUnit ? "whole appliance" : applianceNames.typeName(planLine.appliance_type);
      kinds.push({ name: planLine.name, where, cents: cents(planLine.cost) });
    }
    const waitingCents = cents(planLine.cost_of_waiting_a_year);
    return {
      id: planLine.id,
      plannedCents: kinds[kind]!.cents,
      waitingCents,
      isUrgent: planLine.comes_first,
      kind,
    };
  });
  const sorted = yield* sortInSteps(candidates.filter(isWorthBuying), compareBudgetRanks);
  return {
    kinds,
    components: sorted.map(({ kind, waitingCents, isUrgent }) =>
      isUrgent ? [kind, waitingCents, 1] : [kind, waitingCents],
    ),
  };
}

/** Identical units or components that are selected together, or left out together. */
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
  /** Highest cost of delay first. The same for `excluded`. */
  included: BudgetLine[];
  excluded: BudgetLine[];
};

/** Selects the components that a budget covers. */
export const pageBudgetAllocation = (candidates: BudgetCandidates, amountUsd: number): BudgetResult =>
  runSteps(pageBudgetAllocationSteps(candidates, amountUsd));

/** Selects the components that a budget covers, in steps, for properties with many components. */
export function* pageBudgetAllocationSteps(
  candidates: BudgetCandidates,
  amountUsd: number,
): Steps<BudgetResult> {
  let nextId = 0;
  const components = yield* mapInSteps(candidates.components, ([kind, waitingCents, urgent]) => {
    const plannedCents = candidates.kinds[kind]!.cents;
    return { id: String(nextId++), plannedCents, waitingCents, isUrgent: urgent === 1, kind };
  });
  const allocation: BudgetSpending<(typeof components)[number]> = {
    chosen: [],
    spentCents: 0,
    avoidedCents: 0,
  };
  spendBudget(allocation, cents(amountUsd), components);
  yield;
  const chosen = new Set(allocation.chosen);
  const excluded: typeof components = [];
  yield* forEachInSteps(components, (component) => {
    if (!chosen.has(component)) excluded.push(component);
  });
  return {
    count: allocation.chosen.length,
    spentUsd: allocation.spentCents / 100,
    avoidedUsd: allocation.avoidedCents / 100,
    remainingUsd: excluded.reduce((sum, line) => sum + line.waitingCents, 0) / 100,
    included: yield* linesOf(candidates, allocation.chosen),
    excluded: yield* linesOf(candidates, excluded),
  };
}

function* linesOf(
  candidates: BudgetCandidates,
  components: readonly (BudgetCandidate & { kind: number })[],
): Steps<BudgetLine[]> {
  const lines = new Map<number, BudgetLine>();
  yield* forEachInSteps(components, ({ kind, plannedCents, waitingCents }) => {
    const { name, where } = candidates.kinds[kind]!;
    const line = lines.get(kind) ?? { name, where, count: 0, costUsd: 0, delayCostUsd: 0 };
    lines.set(kind, line);
    line.count++;
    line.costUsd += plannedCents / 100;
    line.delayCostUsd += waitingCents / 100;
  });
  return [...lines.values()].sort((a, b) => b.delayCostUsd - a.delayCostUsd);
}

/** The range of a budget slider in USD: from zero to the cost of all candidates, in round steps. */
export type SliderRange = { max: number; step: number };

export const sliderRange = ({ kinds, components }: BudgetCandidates): SliderRange =>
  pageSliderRangeUpTo(components.reduce((sum, [kind]) => sum + kinds[kind]!.cents, 0) / 100);

/** Returns the range of a budget slider that reaches an amount, in about a hundred round steps. */
export function pageSliderRangeUpTo(all: number): SliderRange {
  const rough = Math.max(all / 100, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough)!;
  return { max: Math.ceil(all / step) * step, step };
}

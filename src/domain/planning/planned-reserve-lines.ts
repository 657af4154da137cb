import type { PlacedComponent } from "../component.ts";
import type { CostBasis } from "../costs/component-costs.ts";
import type { Knowledge } from "../domain-knowledge.ts";
import { forEachInSteps, type Steps } from "../steps/computation-steps.ts";
import type { Price } from "./appliance-pricing.ts";
import type { CostSchedule } from "./cost-schedule.ts";
import { lifespanYearsOf } from "./part-in-place.ts";
import type { ComponentPlan, DueNow, PlannedAppliance, WholePlan } from "./planned-appliance.ts";

/*
 * The lines of a replacement reserve in the form of lenders' engineers: like items with their quantity, unit cost, lives and
 * expected replacements by year. What is due now is paid at closing, and is not among the replacements.
 */

/** Like items of a line: units that are replaced as a whole, or parts of types that are not. Costs are cents, not rounded. */
export type ReserveLine = {
  /** The first of the items, which names the line. */
  first: ReserveItem;
  /** True if the items are of several kinds, of which `first` is one. */
  kinds: "one" | "type" | "system";
  quantity: number;
  /** The cost of a planned replacement of one item: the mean if they differ. */
  unitCents: number;
  failedCents: number;
  basis: CostBasis;
  /** The least and greatest size; null where costs do not depend on it, or it is unknown. */
  sizes: Range | null;
  expectedLifeYears: number;
  effectiveAgeYears: number;
  remainingLifeYears: number;
  dueNow: DueNow | null;
  /** The years of the planned replacements; null without one. */
  dueYears: Range | null;
  /** Expected planned replacements of an item in each year, after the one that is due now. */
  planned: number[];
  /** Expected replacements of an item after failures in each year. */
  failures: number[];
  /** False for items that cost too little to be listed. */
  isListed: boolean;
};

type Range = { least: number; most: number };

/** The least cost of like items that a form lists, in whole cents. */
type ReserveThreshold = { minimumCents: number };

/** More like items than this are listed if they cost more than this together, whatever the minimum (ASTM E2018). */
const MANY_ITEMS = 4;
const MANY_ITEMS_CENTS = 1_000_000;

/** A unit or part of a line. */
export type ReserveItem = {
  typeId: string;
  /** Null for a whole unit. */
  defId: string | null;
  price: Price;
  dueNow: DueNow | null;
  action: WholePlan<PlacedComponent>["action"];
  /** The plan's year of the planned replacement; null without one. */
  dueYear: number | null;
  expectedLifeYears: number;
  effectiveAgeYears: number;
  schedule: CostSchedule;
};

/**
 * How items share lines: from alike in everything to one line for each building system. The first that fits is used. Known
 * hazards share none with others, since the reason of a line names one.
 */
const GROUPINGS = [
  {
    kinds: "one",
    key: ({ typeId, defId, price, dueNow, dueYear }: ReserveItem) =>
      [
        ...[typeId, defId, price.basis, price.plannedCents, price.failedCents, price.scaling.size],
        ...[dueNow, dueYear],
      ].join(" "),
  },
  {
    kinds: "one",
    key: ({ typeId, defId, price, dueNow }: ReserveItem) => [typeId, defId, price.basis, dueNow].join(" "),
  },
  {
    kinds: "type",
    key: ({ typeId, price, dueNow }: ReserveItem) => [typeId, price.basis, dueNow].join(" "),
  },
  {
    kinds: "system",
    key: ({ typeId, price, dueNow }: ReserveItem, knowledge: Knowledge) =>
      [knowledge.type(typeId).system, price.basis, dueNow].join(" "),
  },
] as const satisfies { kinds: ReserveLine["kinds"]; key(item: ReserveItem, knowledge: Knowledge): string }[];

/** Returns the units of an appliance, or its parts if these are replaced one by one, as items of a reserve. */
export function reserveItemsOfPlannedAppliance(
  knowledge: Knowledge,
  { unit, components }: PlannedAppliance<PlacedComponent>,
): ReserveItem[] {
  return unit ? [itemOfUnit(knowledge, unit)] : components.map(itemOfPart);
}

function itemOfUnit(knowledge: Knowledge, plan: WholePlan<PlacedComponent>): ReserveItem {
  const { component, unit, dueInMonths } = plan;
  const { whole } = knowledge.type(component.typeId);
  return {
    ...sharedOf(plan, dueInMonths === null ? null : dueInMonths / 12),
    typeId: component.typeId,
    defId: null,
    expectedLifeYears: unit.principal ? lifespanYearsOf(unit.principal) : whole!.lifeYears!,
    effectiveAgeYears: unit.ageYears,
    schedule: plan.schedule,
  };
}

function itemOfPart(plan: ComponentPlan<PlacedComponent>): ReserveItem {
  const { component, part } = plan;
  return {
    ...sharedOf(plan, plan.dueInYears),
    typeId: component.typeId,
    defId: component.defId,
    expectedLifeYears: lifespanYearsOf(part),
    effectiveAgeYears: part.ageYears,
    schedule: plan.schedule!,
  };
}

function sharedOf(
  { price, dueNow, action }: Pick<ReserveItem, "price" | "dueNow" | "action">,
  waitYears: number | null,
): Pick<ReserveItem, "price" | "dueNow" | "action" | "dueYear"> {
  const dueYear = waitYears === null || dueNow !== null ? null : Math.max(1, Math.ceil(waitYears));
  return { price, dueNow, action, dueYear };
}

/**
 * Returns the lines of items over a number of years, at most `mostLines` unless the coarsest grouping has more: those that
 * cost most in the years first.
 */
export function* planReserveLinesInSteps(
  knowledge: Knowledge,
  items: readonly ReserveItem[],
  years: number,
  { minimumCents }: ReserveThreshold,
  mostLines: number,
): Steps<ReserveLine[]> {
  const sumsByKind = new Map<string, { count: number; cents: number }>();
  yield* forEachInSteps(items, (item) => {
    const kind = kindOf(item);
    const sum = sumsByKind.get(kind) ?? { count: 0, cents: 0 };
    sumsByKind.set(kind, { count: sum.count + 1, cents: sum.cents + item.price.plannedCents });
  });
  const isListed = (item: ReserveItem) => {
    const { count, cents } = sumsByKind.get(kindOf(item))!;
    return cents >= minimumCents || (count > MANY_ITEMS && cents > MANY_ITEMS_CENTS);
  };
  for (const [at, { kinds, key }] of GROUPINGS.entries()) {
    const groups = new Map<string, ReserveItem[]>();
    yield* forEachInSteps(items, (item) => {
      const name = `${isListed(item)} ${hazardOf(item)} ${key(item, knowledge)}`;
      const group = groups.get(name);
      if (group) group.push(item);
      else groups.set(name, [item]);
    });
    if (groups.size > mostLines && at < GROUPINGS.length - 1) continue;
    const lines: ReserveLine[] = [];
    for (const group of groups.values()) lines.push(yield* lineOf(group, kinds, years, isListed(group[0]!)));
    const cost = ({ quantity, unitCents, planned, failures }: ReserveLine) =>
      quantity * unitCents * planned.reduce((sum, share, year) => sum + share + failures[year]!, 0);
    return lines.sort((a, b) => cost(b) - cost(a));
  }
  return [];
}

const widened = (range: Range | null, value: number): Range => ({
  least: Math.min(range?.least ?? value, value),
  most: Math.max(range?.most ?? value, value),
});

const hazardOf = ({ action: { because } }: ReserveItem) =>
  because.kind === "hazard" ? because.hazard.label : "";

const kindOf = ({ typeId, defId }: ReserveItem) => `${typeId} ${defId}`;

function* lineOf(
  items: readonly ReserveItem[],
  kinds: ReserveLine["kinds"],
  years: number,
  isListed: boolean,
): Steps<ReserveLine> {
  const first = items[0]!;
  const quantity = items.length;
  const sums = { planned: 0, failed: 0, life: 0, age: 0, remaining: 0 };
  const planned = new Float64Array(years);
  const failures = new Float64Array(years);
  let sizes: Range | null = null;
  let dueYears: Range | null = null;
  yield* forEachInSteps(items, ({ price, dueYear, expectedLifeYears, effectiveAgeYears, schedule }) => {
    sums.planned += price.plannedCents;
    sums.failed += price.failedCents;
    sums.life += expectedLifeYears;
    sums.age += effectiveAgeYears;
    sums.remaining += Math.max(expectedLifeYears - effectiveAgeYears, 0);
    const { size } = price.scaling;
    if (size !== null) sizes = widened(sizes, size);
    if (dueYear !== null) dueYears = widened(dueYears, dueYear);
    for (let year = 0; year < years; year++) {
      planned[year]! += schedule.planned[year]!;
      failures[year]! += schedule.failures[year]!;
    }
  });
  if (first.dueNow !== null && years > 0) planned[0]! -= sums.planned;
  const share = (cents: number, all: number) => (all > 0 ? cents / all : 0);
  return {
    first,
    kinds,
    quantity,
    unitCents: sums.planned / quantity,
    failedCents: sums.failed / quantity,
    basis: first.price.basis,
    sizes,
    expectedLifeYears: sums.life / quantity,
    effectiveAgeYears: sums.age / quantity,
    remainingLifeYears: sums.remaining / quantity,
    dueNow: first.dueNow,
    dueYears,
    planned: Array.from(planned, (cents) => Math.max(0, share(cents, sums.planned))),
    failures: Array.from(failures, (cents) => share(cents, sums.failed)),
    isListed,
  };
}

import type { BudgetUse, PortfolioPlan, PropertyCandidate } from "../domain/planning/property-plan.ts";
import { id, list, object, usd, type WireOf, whole } from "./kit.ts";
import { page } from "./paging.ts";
import { assumptions, budgetFields, budgetView, planSummary, planSummaryView } from "./plan.ts";
import { assumptionsOf } from "./plan-assumptions.ts";
import { property } from "./property.ts";
import { usdFromCents } from "./units.ts";

/* The plan of a portfolio: of sums that are kept, so that a page of it reads no component. */

/** As many of the chosen components are named. */
const MOST_NAMED = 1000;

const { id: propertyId, name, unit_count } = property.fields;
const chosenCount = whole("Number of components to replace with it", 41);

export const portfolioPlanItem = object({
  property_id: propertyId.as("The property"),
  name,
  unit_count,
  immediate: planSummary.fields.immediate,
  cost_of_waiting_a_year: usd("What waiting a year with what is due now costs beyond what it saves", 1210.4),
  budget: object({
    chosen_count: chosenCount,
    spent: budgetFields.spent,
    avoided: budgetFields.avoided,
  })
    .as("The property's part of the budget's best use; null where none was asked about")
    .orNull(),
});

export type PortfolioPlanRow = {
  propertyId: string;
  name: string;
  unitCount: number;
  dueCount: number;
  dueCents: number;
  dueWaitingCents: number;
};
/** A budget's use by property. */
export type Shares = ReadonlyMap<string, { chosen: number; spentCents: number; avoidedCents: number }>;

export function sharesOf(budget: BudgetUse<PropertyCandidate>): Shares {
  const shares = new Map<string, { chosen: number; spentCents: number; avoidedCents: number }>();
  for (const { propertyId, plannedCents, waitingCents } of budget.chosen) {
    const share = shares.get(propertyId) ?? { chosen: 0, spentCents: 0, avoidedCents: 0 };
    shares.set(propertyId, share);
    share.chosen++;
    share.spentCents += plannedCents;
    share.avoidedCents += waitingCents;
  }
  return shares;
}

export const portfolioPlanItemView = portfolioPlanItem.view(
  (row: PortfolioPlanRow, shares: Shares | null) => {
    const { chosen, spentCents, avoidedCents } = shares?.get(row.propertyId) ?? {
      ...{ chosen: 0, spentCents: 0, avoidedCents: 0 },
    };
    return {
      property_id: row.propertyId,
      name: row.name,
      unit_count: row.unitCount,
      immediate: { component_count: row.dueCount, cost: usdFromCents(row.dueCents) },
      cost_of_waiting_a_year: usdFromCents(row.dueWaitingCents),
      budget: shares && {
        chosen_count: chosen,
        spent: usdFromCents(spentCents),
        avoided: usdFromCents(avoidedCents),
      },
    };
  },
);

export const portfolioPlan = object({
  ...planSummary.fields,
  budget: object({
    ...budgetFields,
    chosen_count: chosenCount,
    chosen: list(
      `The first ${MOST_NAMED} of them in this order: the highest cost of waiting per dollar first, of those with ` +
        "which waiting costs anything, each that what is left still pays for",
      id("C", "The component"),
    ),
  })
    .as("The best use of the budget over all properties; null where none was asked about")
    .orNull(),
  assumptions,
});

export const portfolioPlanView = portfolioPlan.view((made: PortfolioPlan) => ({
  ...planSummaryView(made),
  budget: made.budget && {
    ...budgetView(made.budget),
    chosen_count: made.budget.chosen.length,
    chosen: made.budget.chosen.slice(0, MOST_NAMED).map(({ id }) => id),
  },
  assumptions: assumptionsOf(made, undefined),
}));

/** The properties as a table, a row each. */
export function portfolioPlanTable(items: readonly WireOf<typeof portfolioPlanItem>[]): string[][] {
  const rows = items.map((one) => [
    ...[one.property_id, one.name, one.unit_count, one.immediate.component_count, one.immediate.cost],
    ...[one.cost_of_waiting_a_year, one.budget?.chosen_count, one.budget?.spent, one.budget?.avoided],
  ]);
  return [
    PORTFOLIO_HEADINGS,
    ...rows.map((row) => row.map((cell) => (cell === undefined ? "" : String(cell)))),
  ];
}

const PORTFOLIO_HEADINGS = [
  ...["property_id", "name", "unit_count", "immediate_component_count", "immediate_cost"],
  ...["cost_of_waiting_a_year", "budget_chosen_count", "budget_spent", "budget_avoided"],
];

export const portfolioPlanPage = page("portfolio", portfolioPlanItem, portfolioPlan.fields);

import type { PlanRowSums } from "../domain/planning/plan-sums.ts";
import type {
  BudgetUse,
  PortfolioPlan,
  PropertyCandidate,
} from "../domain/planning/property-plan-summary.ts";
import { assumptionsField, serializeAssumptions } from "./assumptions-schema.ts";
import {
  apiSchemaTableCells,
  apiSchemaTableColumns,
  type Cell,
} from "./definition/api-schema-table-cells.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  listSchema,
  objectSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema } from "./paging-schema.ts";
import { PLAN_ASSUMPTIONS_COLUMN, serializePlanAssumptions } from "./plan-assumptions-schema.ts";
import {
  assumptions,
  budgetFields,
  CHOSEN,
  dueNow,
  planSummary,
  serializeBudget,
  serializeDueNow,
  serializePlanSummary,
  unitsAndAreaJson,
} from "./plan-summary-schema.ts";
import { property } from "./property-schema.ts";
import { recalculating } from "./recalculating-schema.ts";

/* The plan of a portfolio. It is made from stored sums, so that a page of it reads no components. */

/** The maximum number of chosen components that are listed. */
const MAX_LISTED = 1000;

const { id: propertyId, name, unit_count } = property.fields;
const chosenCount = wholeNumberSchema("Number of units and components to replace", 41);

export const portfolioPlanItem = objectSchema({
  property_id: propertyId.describedAs("The property"),
  name,
  unit_count,
  due_now: dueNow.describedAs("Replacements that are due now"),
  cost_of_waiting_a_year: usdSchema("Net cost of a 12-month delay of what is due now", 1210.4),
  budget: objectSchema({
    chosen_count: chosenCount,
    spent: budgetFields.spent,
    avoided: budgetFields.avoided,
  })
    .describedAs("The property's share of the budget; null without a budget in the request")
    .orNull(),
});
export type PlannedPropertyJson = JsonOf<typeof portfolioPlanItem>;

/** A property in the plan of a portfolio. */
type PortfolioPlanRow = {
  propertyId: string;
  name: string;
  unitCount: number;
  sums: PlanRowSums;
};
/** The use of a budget, by property ID. */
type Shares = ReadonlyMap<string, { chosen: number; spentCents: number; avoidedCents: number }>;

/** Returns the properties' shares of a budget. */
export function budgetSharesJson(budget: BudgetUse<PropertyCandidate>): Shares {
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

const NO_SHARE = { chosen: 0, spentCents: 0, avoidedCents: 0 };

export const serializePortfolioPlanItem = portfolioPlanItem.serializer(
  (row: PortfolioPlanRow, shares: Shares | null) => {
    const { chosen, spentCents, avoidedCents } = shares?.get(row.propertyId) ?? NO_SHARE;
    return {
      property_id: row.propertyId,
      name: row.name,
      unit_count: row.unitCount,
      due_now: serializeDueNow(row.sums.due),
      cost_of_waiting_a_year: jsonUsdFromCents(row.sums.due.waitingCents),
      budget: shares && {
        chosen_count: chosen,
        spent: jsonUsdFromCents(spentCents),
        avoided: jsonUsdFromCents(avoidedCents),
      },
    };
  },
);

export const portfolioPlan = objectSchema({
  unit_count: wholeNumberSchema(
    "Number of units in all properties; null where one with components has none",
    240,
  ).orNull(),
  ...planSummary.fields,
  budget: objectSchema({
    ...budgetFields,
    chosen_count: chosenCount,
    chosen: listSchema(
      `The IDs of the first ${MAX_LISTED} units (appliances) and components to replace, ${CHOSEN}`,
      textSchema("ID", "A_…"),
    ),
  })
    .describedAs("The best use of the budget over all properties; null without a budget in the request")
    .orNull(),
  assumptions,
  counted_assumptions: assumptionsField.assumptions,
});

export const serializePortfolioPlan = portfolioPlan.serializer((made: PortfolioPlan) => ({
  unit_count: unitsAndAreaJson(made.sums).units,
  ...serializePlanSummary(made),
  budget: made.budget && {
    ...serializeBudget(made.budget),
    chosen_count: made.budget.chosen.length,
    chosen: made.budget.chosen.slice(0, MAX_LISTED).map(({ id }) => id),
  },
  assumptions: serializePlanAssumptions(made),
  counted_assumptions: serializeAssumptions(made.counted, made.modelVersion),
}));

/**
 * Returns a table with one row per property: its plan, then its expected cost for each year in today's USD, planned
 * replacements, failures and repairs combined, and in the first row the plan's assumptions.
 */
export function serializePortfolioPlanTable(
  rows: readonly PortfolioPlanRow[],
  shares: Shares | null,
  plan: PortfolioPlan,
): Cell[][] {
  const { years } = plan.terms;
  const numbers = Array.from({ length: years }, (_, index) => index);
  const heading = [
    ...apiSchemaTableColumns(portfolioPlanItem),
    ...numbers.map((index) => `year_${index + 1}`),
    PLAN_ASSUMPTIONS_COLUMN,
  ];
  const assumptions = serializePlanAssumptions(plan).join(" ");
  const cells = rows.map((row, at) => {
    const { planned, failures, repairs } = row.sums.years;
    return [
      ...apiSchemaTableCells(portfolioPlanItem, serializePortfolioPlanItem(row, shares)),
      ...numbers.map((index) => jsonUsdFromCents(planned[index]! + failures[index]! + repairs[index]!)),
      at === 0 ? assumptions : null,
    ];
  });
  return [heading, ...cells];
}

export const portfolioPlanPage = pageSchema("portfolio", portfolioPlanItem, {
  ...portfolioPlan.fields,
  ...recalculating,
});
export type PortfolioPlanPageJson = JsonOf<typeof portfolioPlanPage>;

import type { BalanceYear, PlanYear } from "../domain/planning/capital-plan.ts";
import type { Deposit } from "../domain/planning/level-deposit.ts";
import type { DueSums, PlanSums } from "../domain/planning/plan-sums.ts";
import { PLAN_LIMITS } from "../domain/planning/plan-terms.ts";
import type { BudgetUse, PlanSummary } from "../domain/planning/property-plan-summary.ts";
import { MIN_GROSS_AREA_SQFT } from "../domain/property.ts";
import { IMMEDIATE_WORK } from "../domain/wording/immediate-work-wording.ts";
import { WHY_PLAN_COSTS_MORE } from "../domain/wording/plan-cost-wording.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  integerSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

/* The fields that the plans of a property and of a portfolio share. */

export const jsonWholeUsdFromCents = (cents: number) => jsonUsdFromCents(Math.round(cents));
/** Returns dollars that are not rounded, for workbooks that compute with them. */
export const jsonExactUsdFromCents = (cents: number) => jsonUsdFromCents(cents);
const { years, inflationPct, openingUsd, escrowPct, interestPct, minimumUsd, depositGrowthPct } = PLAN_LIMITS;

/** By what per-size figures are divided; null where it is unknown of any property. */
type Sizes = { units: number | null; thousandSqft: number | null };

/** Returns an area by which figures can be divided; null where it is unknown or nothing. */
export const jsonThousandSqft = (areaSqft: number | null): number | null =>
  areaSqft !== null && areaSqft >= MIN_GROSS_AREA_SQFT ? areaSqft / 1000 : null;

/** Returns the units and the area that figures are divided by; null where a property lacks its own. */
export function unitsAndAreaJson({ unitCount, withoutUnits, areaSqft, withoutArea }: PlanSums): Sizes {
  const units = withoutUnits === 0 && unitCount > 0 ? unitCount : null;
  const hasArea = units === null && withoutArea === 0;
  return { units, thousandSqft: hasArea ? jsonThousandSqft(areaSqft) : null };
}

const per = (cents: number, size: number | null) =>
  size === null ? null : jsonWholeUsdFromCents(cents / size);

const planYear = recordSchema("PlanYear", {
  year: wholeNumberSchema("Year of the plan; year 1 starts now", 1),
  planned_cost: usdSchema("Planned replacements, at today's prices", 2450),
  failure_cost: usdSchema("Expected replacements after failures, at today's prices", 1180.4),
  repair_cost: usdSchema(
    "Expected repairs of the minor parts of units that are replaced as a whole, at today's prices",
    420.2,
  ),
  total: usdSchema("Planned replacements, failures and repairs, at today's prices", 4050.6),
  run_to_failure: usdSchema(
    "Cost if everything runs to failure, repairs included, at today's prices",
    4410.1,
  ),
  total_inflated: usdSchema("Total, inflated to the year", 4050.6),
  per_unit_inflated: usdSchema(
    "Total per unit, inflated to the year; null without a number of units",
    168.78,
  ).orNull(),
  per_1000_sqft_inflated: usdSchema(
    "Total per 1,000 sq ft, inflated to the year; only where there is an area and no number of units",
    168.78,
  ).orNull(),
});
export type PlanYearJson = JsonOf<typeof planYear>;

const serializePlanYear = planYear.serializer((year: PlanYear, { units, thousandSqft }: Sizes) => ({
  year: year.year,
  planned_cost: jsonUsdFromCents(year.plannedCents),
  failure_cost: jsonUsdFromCents(year.failureCents),
  repair_cost: jsonUsdFromCents(year.repairCents),
  total: jsonUsdFromCents(year.totalCents),
  run_to_failure: jsonUsdFromCents(year.runToFailureCents),
  total_inflated: jsonUsdFromCents(year.inflatedCents),
  per_unit_inflated: per(year.inflatedCents, units),
  per_1000_sqft_inflated: per(year.inflatedCents, thousandSqft),
}));

const amount = recordSchema("LevelDeposit", {
  per_year: usdSchema("Deposit of the first year", 3850),
  per_unit_per_year: usdSchema(
    "Deposit of the first year per unit; null without a number of units",
    160.42,
  ).orNull(),
  per_unit_per_month: usdSchema("A twelfth of it", 13.37).orNull(),
  per_1000_sqft_per_year: usdSchema(
    "Deposit of the first year per 1,000 sq ft; only where there is an area and no number of units",
    160.42,
  ).orNull(),
});

/** Below this part of a cent, an amount above a whole cent is an error of its computation. */
const COMPUTED_CENT = 1e-6;
/** A deposit is rounded up, since one that is rounded down leaves the reserve short. */
const jsonDepositFromCents = (cents: number) =>
  jsonUsdFromCents(Math.max(0, Math.ceil(cents - COMPUTED_CENT)));
const depositPer = (cents: number, size: number | null) =>
  size === null ? null : jsonDepositFromCents(cents / size);

const serializeDeposited = amount.serializer((centsPerYear: number, { units, thousandSqft }: Sizes) => ({
  per_year: jsonDepositFromCents(centsPerYear),
  per_unit_per_year: depositPer(centsPerYear, units),
  per_unit_per_month: depositPer(centsPerYear / 12, units),
  per_1000_sqft_per_year: depositPer(centsPerYear, thousandSqft),
}));

const deposit = objectSchema({
  noise: amount.describedAs("Allows for the chance of failures alone"),
  with_cost_error: amount.describedAs("Allows for costs that are wrong together, too"),
});

const serializeDeposit = deposit.serializer(({ noise, withCostError }: Deposit, sizes: Sizes) => ({
  noise: serializeDeposited(noise, sizes),
  with_cost_error: serializeDeposited(withCostError, sizes),
}));

const balance = recordSchema("ReserveBalance", {
  year: wholeNumberSchema("Year of the plan", 1),
  interest: usdSchema("Interest on the balance of the year before", 0),
  deposit: usdSchema("Deposit at the end of the year", 3850),
  needs: usdSchema("Planned replacements and failures of the year, inflated, after what is due now", 3200.5),
  balance: usdSchema("Balance at the end of the year", 649.5),
  fully_funded: usdSchema("Straight-line share of used-up lives at the end of the year, inflated", 21_400),
  percent_funded: numberSchema(
    "Balance as a percentage of `fully_funded`; null where nothing has been used up",
    3.04,
  ).orNull(),
});

const serializeReserveBalance = balance.serializer((year: BalanceYear) => ({
  year: year.year,
  interest: jsonUsdFromCents(year.interestCents),
  deposit: jsonUsdFromCents(year.depositCents),
  needs: jsonUsdFromCents(year.needCents),
  balance: jsonUsdFromCents(year.balanceCents),
  fully_funded: jsonUsdFromCents(year.fullyFundedCents),
  percent_funded:
    year.fullyFundedCents > 0 ? roundJsonNumber((100 * year.balanceCents) / year.fullyFundedCents, 2) : null,
}));

const work = (description: string) =>
  objectSchema({
    count: wholeNumberSchema("Number of units and components", 1),
    cost: usdSchema("Planned cost", 1200),
  }).describedAs(description);

const dueNowFields = {
  component_count: wholeNumberSchema(
    "Number of components to replace on their own, those of units that stay apart",
    2,
  ),
  unit_count: wholeNumberSchema("Number of units to replace as a whole", 1),
  cost: usdSchema("Planned cost: units as a whole, components on their own", 2450),
  immediate: work(`What cannot wait: ${IMMEDIATE_WORK}`),
  short_term: work("The rest"),
  repairs: work("Minor parts of units that stay, replaced now; paid as repairs and not part of `cost`"),
};

/** The work due now, as lists of properties show it. */
export const dueNow = objectSchema(dueNowFields);

export const serializeDueNow = dueNow.serializer(
  ({ units, components, cents, immediate, shortTerm, repairs }: DueSums) => ({
    component_count: components,
    unit_count: units,
    cost: jsonUsdFromCents(cents),
    immediate: { count: immediate.count, cost: jsonUsdFromCents(immediate.cents) },
    short_term: { count: shortTerm.count, cost: jsonUsdFromCents(shortTerm.cents) },
    repairs: { count: repairs.count, cost: jsonUsdFromCents(repairs.cents) },
  }),
);

const rate = (description: string, { least, most, usual }: { least: number; most: number; usual: number }) =>
  numberSchema(`${description}, in percent`, usual, { minimum: least, maximum: most });

export const planSummary = objectSchema({
  as_of: daySchema("Start date of the plan"),
  years: integerSchema("Years that the plan covers", years.usual, {
    minimum: years.least,
    maximum: years.most,
  }),
  inflation_pct: rate("Inflation per year", inflationPct),
  opening_balance: usdSchema("Balance of the reserve at the start", openingUsd.usual),
  escrow_pct: rate("Share of the cost due now that a lender holds back", escrowPct),
  interest_pct: rate("Interest on the reserve per year", interestPct),
  minimum_balance: usdSchema("Least balance of the reserve at the end of a year", minimumUsd.usual),
  deposit_growth_pct: rate("Growth of the deposit per year", depositGrowthPct),
  due_now: objectSchema({
    ...dueNowFields,
    cost_of_waiting_a_year: usdSchema("Net cost of a 12-month delay of it", 1210.4),
    escrow: usdSchema("`cost` × `escrow_pct` / 100: what a lender holds back at closing", 3062.5),
  }).describedAs("Replacements that are due now, which deposits do not pay for"),
  schedule: listSchema("Expected costs by year", planYear),
  totals: objectSchema({
    planned: usdSchema(
      "Expected cost with this plan, failures and repairs included, at today's prices",
      31_200.5,
    ),
    planned_inflated: usdSchema("Expected cost with this plan, inflated", 35_410.22),
    run_to_failure: usdSchema("Expected cost if everything runs to failure, at today's prices", 44_100.1),
    run_to_failure_inflated: usdSchema("Expected cost if everything runs to failure, inflated", 50_180.9),
    savings: usdSchema(
      `Savings with this plan, at today's prices; negative if it costs more in this period: ${WHY_PLAN_COSTS_MORE}`,
      12_899.6,
    ),
  }).describedAs("Totals of all years"),
  level_deposit: objectSchema({
    "50": deposit.describedAs("With 50% confidence in each single year: covers the expected needs"),
    "80": deposit.describedAs("With 80% confidence in each single year"),
    "95": deposit.describedAs("With 95% confidence in each single year"),
  }).describedAs(
    "The yearly deposit that pays planned replacements and failures, after what is due now, and keeps the balance at or " +
      "above `minimum_balance`. Its confidence is that of each single year, by a normal approximation; all years together are " +
      "less likely to be covered",
  ),
  balances: listSchema("The reserve by year, with the deposit of 50% confidence", balance),
});
export type PlanSummaryJson = JsonOf<typeof planSummary>;

export const serializePlanSummary = planSummary.serializer(({ terms, asOf, sums, capital }: PlanSummary) => {
  const sizes = unitsAndAreaJson(sums);
  const { plannedCents, plannedInflatedCents, runToFailureCents, runToFailureInflatedCents } = capital.totals;
  return {
    as_of: asOf,
    years: terms.years,
    inflation_pct: terms.inflationPct,
    opening_balance: jsonUsdFromCents(terms.openingCents),
    escrow_pct: terms.escrowPct,
    interest_pct: terms.interestPct,
    minimum_balance: jsonUsdFromCents(terms.minimumCents),
    deposit_growth_pct: terms.depositGrowthPct,
    due_now: {
      ...serializeDueNow(sums.due),
      cost_of_waiting_a_year: jsonUsdFromCents(sums.due.waitingCents),
      escrow: jsonWholeUsdFromCents((sums.due.cents * terms.escrowPct) / 100),
    },
    schedule: capital.schedule.map((year) => serializePlanYear(year, sizes)),
    totals: {
      planned: jsonUsdFromCents(plannedCents),
      planned_inflated: jsonUsdFromCents(plannedInflatedCents),
      run_to_failure: jsonUsdFromCents(runToFailureCents),
      run_to_failure_inflated: jsonUsdFromCents(runToFailureInflatedCents),
      savings: jsonUsdFromCents(runToFailureCents - plannedCents),
    },
    level_deposit: {
      "50": serializeDeposit(capital.levelDeposit[50], sizes),
      "80": serializeDeposit(capital.levelDeposit[80], sizes),
      "95": serializeDeposit(capital.levelDeposit[95], sizes),
    },
    balances: capital.balances.map(serializeReserveBalance),
  };
});

/** The fields of every budget. */
export const budgetFields = {
  amount: usdSchema("The requested budget", 5000),
  spent: usdSchema("Planned replacement cost of the chosen units and components", 4870),
  left: usdSchema("What the budget leaves", 130),
  avoided: usdSchema("Total cost of a 12-month delay of the chosen ones, which the budget avoids", 2310.5),
};

export const CHOSEN =
  "in the order of selection: hazards, safety items past their life and units with one first, then by cost of delay per dollar until the budget is used. " +
  "What is cheaper to leave is left out";

export const serializeBudget = objectSchema(budgetFields).serializer((use: BudgetUse) => ({
  amount: jsonUsdFromCents(use.amountCents),
  spent: jsonUsdFromCents(use.spentCents),
  left: jsonUsdFromCents(use.amountCents - use.spentCents),
  avoided: jsonUsdFromCents(use.avoidedCents),
}));

export const assumptions = textListSchema("Assumptions and exclusions, as sentences", [
  "Costs inflate at 3% a year from year 2.",
]);

import type { ScheduledPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PlanSummaryJson } from "../../api-schemas/plan-summary-schema.ts";
import { runSteps, type Steps } from "../../domain/steps/computation-steps.ts";
import type { ApplianceNames } from "./page-appliance-names.ts";
import { COST_BASIS_LABELS, pageSystemLabel } from "./page-code-labels.ts";
import { groupPageItems, groupPageRows, pageTextOfRange, sumPageItems } from "./page-grouping.ts";
import { type PlanLine, pagePlanLineKindKey, pagePlanLines } from "./page-plan-lines.ts";

/** A row of identical units or components, all due now or none. Costs are in whole dollars. */
export type ScheduleRow = {
  name: string;
  where: string;
  /** The size that the cost is for, and where it comes from: `50 gallons, reference cost for this size`. */
  costBasis: string;
  isDueNow: boolean;
  quantity: number;
  /** Years with one decimal; a range if the components differ. The same for the next three. */
  age: string;
  effectiveAge: string;
  expectedLife: string;
  remaining: string;
  unitCost: number;
  cost: number;
  years: number[];
};

/** The rows of a building system and their totals, in whole dollars. */
type ScheduleSystem = {
  name: string;
  rows: ScheduleRow[];
  quantity: number;
  cost: number;
  years: number[];
};

/** The totals of a schedule by year, in whole dollars. */
export type ScheduleSums = {
  /** In today's dollars. */
  years: number[];
  /** The inflation factors. */
  factors: number[];
  /** `years` × `factors` */
  inflated: number[];
  /** `inflated`, divided by the number of units; null without one. */
  perUnit: number[] | null;
  /** The part of `years` that repairs are, which a reserve does not pay. */
  repairs: number[];
  /** The run-to-failure scenario, in today's dollars. */
  runToFailure: number[];
};

export type ReserveSchedule = ScheduleSums & { systems: ScheduleSystem[]; quantity: number; cost: number };

/**
 * Makes a plan into a schedule in the form that lenders use. Every row and column adds up as printed: the years sum up to
 * the plan's total rounded to a dollar, the rows of a year sum up to that year, and inflated amounts are computed from
 * the printed ones.
 */
export const pageReserveScheduleOf = (
  plan: ScheduledPlanJson,
  applianceNames: ApplianceNames,
): ReserveSchedule => runSteps(pageReserveSchedule(plan, applianceNames));

/** Makes a plan into a schedule in steps, for properties with many components. */
export function* pageReserveSchedule(
  plan: ScheduledPlanJson,
  applianceNames: ApplianceNames,
): Steps<ReserveSchedule> {
  const whole = new Set(plan.units.map(({ appliance_id }) => appliance_id));
  const all = yield* pagePlanLines(plan, applianceNames);
  const lines = all.filter(({ isUnit, appliance_id }) => isUnit || !whole.has(appliance_id));
  const groups = yield* groupPageRows(lines, (one) =>
    [pagePlanLineKindKey(one), one.cost, one.cost_basis, one.size, one.due_now !== null].join(" "),
  );
  const sums = pageScheduleSumsOf(plan, plan.unit_count);
  const shares: number[][] = [];
  for (const group of groups) {
    const years: number[] = [];
    for (const year of sums.years.keys()) {
      years.push(sumPageItems(group, (line) => line.yearlyCosts[year] ?? 0));
      yield;
    }
    shares.push(years);
  }
  const rows: { system: string; row: ScheduleRow }[] = [];
  for (const [at, years] of roundPageRowsToTotals(shares, sums.years).entries()) {
    const group = groups[at]!;
    const system = pageSystemLabel(applianceNames.systemOf(group[0]!.appliance_type));
    rows.push({ system, row: toRow(group, applianceNames, years) });
    yield;
  }
  const systems = groupPageItems(rows, ({ system }) => system)
    .map((of) =>
      toSystem(
        of[0]!.system,
        of.map(({ row }) => row),
      ),
    )
    .sort((a, b) => sumPageItems(b.years, Number) - sumPageItems(a.years, Number));
  return {
    ...sums,
    systems,
    quantity: sumPageItems(systems, ({ quantity }) => quantity),
    cost: sumPageItems(systems, ({ cost }) => cost),
  };
}

/** The range of deposits that lenders usually ask for per unit and year, in USD. */
export const USUAL_RESERVE = { least: 300, most: 1500 };

/** A kind of equipment with its costs in all years of a schedule, without what is due now. */
export type CostShare = { name: string; cost: number; share: number; isPastLife: boolean };

/** Returns the rows that a schedule's costs after what is due now mostly are, the costliest first. */
export function pageLargestScheduleCosts(
  { systems }: Pick<ReserveSchedule, "systems">,
  most: number,
): CostShare[] {
  const costs = systems
    .flatMap(({ rows }) => rows)
    .map(({ name, isDueNow, cost, years, remaining }) => ({
      name,
      cost: Math.max(0, sumPageItems(years, Number) - (isDueNow ? cost : 0)),
      isPastLife: !isDueNow && remaining === NO_YEARS,
    }));
  const all = sumPageItems(costs, ({ cost }) => cost);
  return costs
    .filter(({ cost }) => cost > 0)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, most)
    .map((one) => ({ ...one, share: one.cost / all }));
}
const NO_YEARS = "0.0";

/** Returns the sums by year of a plan, rounded so that they add up to the rounded total. */
export function pageScheduleSumsOf(plan: PlanSummaryJson, units: number): ScheduleSums {
  const years = roundToTotal(plan.schedule.map(({ total }) => total));
  const factors = years.map((_, year) => (1 + plan.inflation_pct / 100) ** year);
  const inflated = years.map((total, year) => Math.round(total * factors[year]!));
  return {
    years,
    factors,
    inflated,
    perUnit: units < 1 ? null : inflated.map((total) => Math.round(total / units)),
    repairs: roundToTotal(plan.schedule.map(({ repair_cost }) => repair_cost)),
    runToFailure: roundToTotal(plan.schedule.map(({ run_to_failure }) => run_to_failure)),
  };
}

/** Rounds rows of costs by year to whole dollars, so that each year sums up to its total. */
export function roundPageRowsToTotals(
  rows: readonly (readonly number[])[],
  totals: readonly number[],
): number[][] {
  const columns = totals.map((total, year) =>
    roundToTotal(
      rows.map((row) => row[year]!),
      total,
    ),
  );
  return rows.map((_, at) => columns.map((column) => column[at]!));
}

function toRow(group: readonly PlanLine[], applianceNames: ApplianceNames, years: number[]): ScheduleRow {
  const [first] = group as [PlanLine];
  const span = (pick: (planLine: PlanLine) => number) =>
    pageTextOfRange(group.map(pick), (value) => (tenths(value) / 10).toFixed(1));
  // Computed from the rounded figures, so that the printed ones add up.
  const tenths = (value: number) => Math.round(value * 10);
  const remaining = (planLine: PlanLine) =>
    Math.max(tenths(planLine.expected_life_years) - tenths(planLine.effective_age_years), 0) / 10;
  return {
    name: first.name,
    where: first.isUnit
      ? "whole appliance"
      : group.length === 1
        ? applianceNames.of(first)
        : applianceNames.typeName(first.appliance_type),
    costBasis: costBasisOf(first, applianceNames),
    isDueNow: first.due_now !== null,
    quantity: group.length,
    age: span((planLine) => planLine.age_years),
    effectiveAge: span((planLine) => planLine.effective_age_years),
    expectedLife: span((planLine) => planLine.expected_life_years),
    remaining: span(remaining),
    unitCost: Math.round(first.cost),
    cost: Math.round(first.cost) * group.length,
    years,
  };
}

function costBasisOf({ appliance_type, size, cost_basis }: PlanLine, applianceNames: ApplianceNames): string {
  const unit = applianceNames.sizeUnitOf(appliance_type);
  const sized = size === null || unit === undefined ? [] : [`${size.toLocaleString("en-US")} ${unit}`];
  return [...sized, COST_BASIS_LABELS[cost_basis]].join(", ");
}

function toSystem(name: string, rows: ScheduleRow[]): ScheduleSystem {
  return {
    name,
    rows: rows.sort((a, b) => sumPageItems(b.years, Number) - sumPageItems(a.years, Number)),
    quantity: sumPageItems(rows, ({ quantity }) => quantity),
    cost: sumPageItems(rows, ({ cost }) => cost),
    years: rows[0]!.years.map((_, year) => sumPageItems(rows, (row) => row.years[year]!)),
  };
}

/**
 * Rounds non-negative amounts to whole ones that sum up to `total`. Each is the increase of the rounded running sum, so
 * none is off by more than one.
 */
function roundToTotal(
  amounts: readonly number[],
  total = Math.round(sumPageItems(amounts, Number)),
): number[] {
  const all = sumPageItems(amounts, Number);
  const scale = all === 0 ? 0 : total / all;
  let [sum, before] = [0, 0];
  return amounts.map((amount) => {
    sum += amount;
    const after = Math.round(sum * scale);
    const own = after - before;
    before = after;
    return own;
  });
}

import type { JsonOf } from "../../api-schemas/definition/api-schema-type.ts";
import type { propertyPlan } from "../../api-schemas/plan-schema.ts";
import type { planSummary } from "../../api-schemas/plan-summary-schema.ts";
import type { portfolioPlan, portfolioPlanItem } from "../../api-schemas/portfolio-plan-schema.ts";
import {
  currencyCode,
  exactMoney,
  todaysMoneyWithPlainQuotes,
  wholeMoney,
} from "../../domain/wording/currency-and-unit-wording.ts";
import { WHY_PLAN_COSTS_MORE } from "../../domain/wording/plan-cost-wording.ts";
import { type OutputWidths, type TerminalColumn, terminalTable, wrapTerminalText } from "./terminal-table.ts";

/* A plan for the terminal: recommended actions, costs by year, reserve contributions and assumptions. */

type Summary = JsonOf<typeof planSummary>;
type PropertyPlan = JsonOf<typeof propertyPlan>;
type PortfolioPlan = JsonOf<typeof portfolioPlan>;
type PortfolioItem = JsonOf<typeof portfolioPlanItem>;

/** The maximum number of properties of a portfolio that are shown. */
const MOST_PROPERTIES = 20;

const usd = (amount: number) => Math.round(amount).toLocaleString("en-US");
const dollars = (amount: number) => wholeMoney(Math.round(amount));
const properties = (count: number) => `${usd(count)} ${count === 1 ? "property" : "properties"}`;
const components = (count: number) => `${count} ${count === 1 ? "component" : "components"}`;

/** Returns a property's plan as text for a terminal. */
export function terminalPropertyPlanText(plan: PropertyPlan, widths: OutputWidths): string {
  const { columns: width, tableWidth } = widths;
  const chosen = new Set(plan.budget?.chosen);
  const shown = plan.components.filter(
    ({ policy, cost_of_waiting_a_year }) =>
      policy !== "with_unit" && (policy !== "run_to_failure" || cost_of_waiting_a_year > 0),
  );
  const rest = plan.components.length - shown.length;
  const when = ({ policy, replace_on }: { policy: string; replace_on: string | null }) =>
    policy === "replace_now" ? "now" : (replace_on ?? "run to failure");
  const age = (years: number | null) => (years === null ? "-" : years.toFixed(1));
  const units = plan.units.map((unit) => [
    "Whole unit",
    unit.appliance_type,
    when(unit),
    unit.action.replaceAll("_", " "),
    usd(unit.price),
    usd(unit.failed_price),
    usd(unit.cost_of_waiting_a_year),
    age(unit.optimal_age_years),
    usd(unit.yearly_cost),
    "",
    "",
    chosen.has(unit.appliance_id) ? "yes" : "",
    unit.appliance_id,
  ]);
  const parts = shown.map((component) => [
    component.component_name,
    component.appliance_type,
    when(component),
    component.action.replaceAll("_", " "),
    usd(component.proactive_cost),
    usd(component.reactive_cost),
    usd(component.cost_of_waiting_a_year),
    age(component.optimal_age_years),
    usd(component.yearly_cost),
    usd(component.yearly_cost_run_to_failure),
    component.risk_score.toFixed(2),
    chosen.has(component.component_id) ? "yes" : "",
    component.component_id,
  ]);
  const rows = [...units, ...parts];
  return paragraphs(
    wrapTerminalText(`${plan.name}, ${plan.unit_count} units: ${heading(plan)}`, width),
    dueNowText(plan.due_now, width),
    rows.length > 0 && terminalTable(partColumns(plan.budget !== null), rows, tableWidth),
    rest > 0 && `${components(rest)}: run to failure, or replaced with the unit.`,
    plan.budget &&
      wrapTerminalText(
        `Best use of ${dollars(plan.budget.amount)}: ${plan.budget.chosen.length} units and components, ` +
          `${dollars(plan.budget.spent)}; ${dollars(plan.budget.left)} is left. ` +
          `Avoids ${dollars(plan.budget.avoided)} in the next 12 months.`,
        width,
      ),
    terminalTable(
      reconciliationColumns(),
      plan.reconciliation.map(({ label, amount }) => [label, usd(amount)]),
      tableWidth,
    ),
    ...years(plan, widths),
  );
}

const reconciliationColumns = (): TerminalColumn[] => [
  { heading: "Next 12 months", shrinks: true },
  { heading: currencyCode(), align: "right" },
];

function dueNowText({ unit_count, component_count, cost, immediate }: Summary["due_now"], width: number) {
  if (unit_count + component_count === 0) return false;
  const units = `${unit_count} ${unit_count === 1 ? "unit" : "units"}`;
  return wrapTerminalText(
    `Due now: ${units} and ${components(component_count)}, ${dollars(cost)}, of which ${dollars(immediate.cost)} cannot wait.`,
    width,
  );
}

/** Returns a portfolio's plan as text for a terminal. */
export function terminalPortfolioPlanText(
  plan: PortfolioPlan,
  items: readonly PortfolioItem[],
  widths: OutputWidths,
): string {
  const { columns: width, tableWidth } = widths;
  const isDue = ({ due_now: due }: PortfolioItem) => due.unit_count + due.component_count > 0;
  const due = items.filter(isDue);
  const sorted = due.toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year);
  const rows = sorted
    .slice(0, MOST_PROPERTIES)
    .map((property) => [
      property.name,
      property.unit_count === 0 ? "-" : usd(property.unit_count),
      usd(property.due_now.unit_count + property.due_now.component_count),
      usd(property.due_now.cost),
      usd(property.cost_of_waiting_a_year),
      property.budget ? usd(property.budget.spent) : "",
      property.property_id,
    ]);
  const rest = due.length - rows.length;
  return paragraphs(
    wrapTerminalText(`${properties(items.length)}: ${heading(plan)}`, width),
    dueNowText(plan.due_now, width),
    rows.length > 0 && terminalTable(propertyColumns(plan.budget !== null), rows, tableWidth),
    rest > 0 &&
      `${usd(rest)} more ${rest === 1 ? "property has" : "properties have"} something due: \`--format csv\` lists all.`,
    items.length > due.length &&
      `${properties(items.length - due.length)} ${items.length - due.length === 1 ? "has" : "have"} nothing due now.`,
    plan.budget &&
      wrapTerminalText(
        `Best use of ${dollars(plan.budget.amount)}: ${plan.budget.chosen_count} units and components, ` +
          `${dollars(plan.budget.spent)}; ${dollars(plan.budget.left)} is left. Avoids ${dollars(plan.budget.avoided)} in the next 12 months.`,
        width,
      ),
    ...years(plan, widths),
  );
}

const heading = ({ years, as_of, inflation_pct }: Summary) =>
  `${years} ${years === 1 ? "year" : "years"} from ${as_of}, inflation ${inflation_pct}%. Amounts in ${currencyCode()}.`;

const partColumns = (hasBudget: boolean): TerminalColumn[] => [
  { heading: "Component", shrinks: true },
  { heading: "Appliance", shrinks: true, from: 100 },
  { heading: "Replace" },
  { heading: "Action", from: 110 },
  { heading: "Planned", align: "right" },
  { heading: "After failure", align: "right" },
  { heading: "Cost of 1-yr delay", align: "right" },
  { heading: "Replacement age", align: "right", from: 120 },
  { heading: "Per year", align: "right", from: 140 },
  { heading: "Run to failure", align: "right", from: 140 },
  { heading: "Score", align: "right", from: 130 },
  { heading: "In budget", from: hasBudget ? 0 : Infinity },
  { heading: "ID", from: 180 },
];

const propertyColumns = (hasBudget: boolean): TerminalColumn[] => [
  { heading: "Property", shrinks: true },
  { heading: "Units", align: "right" },
  { heading: "Due now", align: "right" },
  { heading: "Cost", align: "right" },
  { heading: "Cost of 1-yr delay", align: "right" },
  { heading: "In budget", align: "right", from: hasBudget ? 0 : Infinity },
  { heading: "ID", from: 110 },
];

const YEAR_COLUMNS: TerminalColumn[] = [
  { heading: "Year" },
  { heading: "Planned", align: "right" },
  { heading: "Failures", align: "right" },
  { heading: "Repairs", align: "right" },
  { heading: "Total", align: "right" },
  { heading: "Inflated", align: "right" },
  { heading: "Per unit", align: "right" },
];

function years(
  plan: Summary & { assumptions: readonly string[] },
  { columns: width, tableWidth }: OutputWidths,
): string[] {
  const rows = plan.schedule.map((year) => [
    String(year.year),
    usd(year.planned_cost),
    usd(year.failure_cost),
    usd(year.repair_cost),
    usd(year.total),
    usd(year.total_inflated),
    year.per_unit_inflated === null ? "-" : usd(year.per_unit_inflated),
  ]);
  const { totals, level_deposit: deposit } = plan;
  const { planned_inflated, run_to_failure_inflated } = totals;
  const all = ["Total", "", "", "", usd(totals.planned), usd(planned_inflated), ""];
  return [
    terminalTable(YEAR_COLUMNS, [...rows, all], tableWidth),
    wrapTerminalText(
      `Run-to-failure scenario: ${dollars(totals.run_to_failure)} (${dollars(run_to_failure_inflated)} inflated). ` +
        (totals.savings < -0.5
          ? `In this period the plan costs ${dollars(-totals.savings)} more in ${todaysMoneyWithPlainQuotes()}: ${WHY_PLAN_COSTS_MORE}.`
          : `The plan saves ${dollars(Math.abs(totals.savings))} in ${todaysMoneyWithPlainQuotes()}.`),
      width,
    ),
    (["50", "80", "95"] as const)
      .map((sure) => {
        const { noise, with_cost_error } = deposit[sure];
        return wrapTerminalText(
          `Deposit for ${sure}% confidence: ${wholeMoney(Math.ceil(noise.per_year))} a year${perUnit(noise)}; ` +
            `with costs in error ${wholeMoney(Math.ceil(with_cost_error.per_year))} a year${perUnit(with_cost_error)}`,
          width,
        );
      })
      .join("\n"),
    plan.assumptions.map((sentence) => wrapTerminalText(sentence, width, "- ")).join("\n"),
  ];
}

function perUnit({ per_unit_per_month: monthly }: Summary["level_deposit"]["50"]["noise"]): string {
  if (monthly === null) return "";
  return ` (${exactMoney(monthly)} per unit per month)`;
}

const paragraphs = (...parts: (string | false | null)[]) => parts.filter(Boolean).join("\n\n");

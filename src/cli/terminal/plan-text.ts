import type { planSummary, propertyPlan } from "../../wire/plan.ts";
import type { portfolioPlan, portfolioPlanItem } from "../../wire/portfolio-plan.ts";
import type { WireOf } from "../../wire/schema/wire-type.ts";
import { type Column, fittedTable, wrapped } from "./fitted-table.ts";

/* A plan for the terminal: recommended actions, costs by year, reserve contributions and assumptions. */

type Summary = WireOf<typeof planSummary>;
type PropertyPlan = WireOf<typeof propertyPlan>;
type PortfolioPlan = WireOf<typeof portfolioPlan>;
type PortfolioItem = WireOf<typeof portfolioPlanItem>;

/** The maximum number of properties of a portfolio that are shown. */
const MOST_PROPERTIES = 20;

const usd = (amount: number) => Math.round(amount).toLocaleString("en-US");
const dollars = (amount: number) => `$${usd(amount)}`;
const components = (count: number) => `${count} ${count === 1 ? "component" : "components"}`;

export function propertyPlanText(plan: PropertyPlan, width: number): string {
  const chosen = new Set(plan.budget?.chosen);
  const shown = plan.components.filter(
    (component) => component.policy !== "run_to_failure" || component.cost_of_waiting_a_year > 0,
  );
  const rest = plan.components.length - shown.length;
  const rows = shown.map((one) => [
    one.component_name,
    one.appliance_type,
    one.policy === "replace_now" ? "now" : (one.replace_on ?? "run to failure"),
    usd(one.proactive_cost),
    usd(one.reactive_cost),
    usd(one.cost_of_waiting_a_year),
    one.optimal_age_years === null ? "-" : one.optimal_age_years.toFixed(1),
    usd(one.yearly_cost),
    usd(one.yearly_cost_run_to_failure),
    one.risk_score.toFixed(2),
    chosen.has(one.component_id) ? "yes" : "",
    one.component_id,
  ]);
  return paragraphs(
    wrapped(`${plan.name}, ${plan.unit_count} units: ${heading(plan)}`, width),
    plan.immediate.component_count > 0 &&
      `Due now: ${components(plan.immediate.component_count)}, ${dollars(plan.immediate.cost)}.`,
    shown.length > 0 && fittedTable(partColumns(plan.budget !== null), rows, width),
    rest > 0 && `${components(rest)}: run to failure.`,
    plan.budget &&
      wrapped(
        `Best use of ${dollars(plan.budget.amount)}: ${components(plan.budget.chosen.length)}, ` +
          `${dollars(plan.budget.spent)}. Avoids ${dollars(plan.budget.avoided)} in the next 12 months.`,
        width,
      ),
    ...years(plan, width),
  );
}

export function portfolioPlanText(
  plan: PortfolioPlan,
  items: readonly PortfolioItem[],
  width: number,
): string {
  const sorted = items.toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year);
  const rows = sorted
    .slice(0, MOST_PROPERTIES)
    .map((one) => [
      one.name,
      usd(one.unit_count),
      usd(one.immediate.component_count),
      usd(one.immediate.cost),
      usd(one.cost_of_waiting_a_year),
      one.budget ? usd(one.budget.spent) : "",
      one.property_id,
    ]);
  const rest = items.length - rows.length;
  return paragraphs(
    wrapped(`${items.length} ${items.length === 1 ? "property" : "properties"}: ${heading(plan)}`, width),
    `Due now: ${components(plan.immediate.component_count)}, ${dollars(plan.immediate.cost)}.`,
    rows.length > 0 && fittedTable(propertyColumns(plan.budget !== null), rows, width),
    rest > 0 && `${rest} more properties: use \`--format csv\` to list all.`,
    plan.budget &&
      wrapped(
        `Best use of ${dollars(plan.budget.amount)}: ${components(plan.budget.chosen_count)}, ` +
          `${dollars(plan.budget.spent)}. Avoids ${dollars(plan.budget.avoided)} in the next 12 months.`,
        width,
      ),
    ...years(plan, width),
  );
}

const heading = ({ years, as_of, inflation_pct }: Summary) =>
  `${years} ${years === 1 ? "year" : "years"} from ${as_of}, inflation ${inflation_pct}%. Amounts in USD.`;

const partColumns = (hasBudget: boolean): Column[] => [
  { heading: "Component", shrinks: true },
  { heading: "Appliance", shrinks: true, from: 100 },
  { heading: "Replace" },
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

const propertyColumns = (hasBudget: boolean): Column[] => [
  { heading: "Property", shrinks: true },
  { heading: "Units", align: "right" },
  { heading: "Due now", align: "right" },
  { heading: "Cost", align: "right" },
  { heading: "Cost of 1-yr delay", align: "right" },
  { heading: "In budget", align: "right", from: hasBudget ? 0 : Infinity },
  { heading: "ID", from: 110 },
];

const YEAR_COLUMNS: Column[] = [
  { heading: "Year" },
  { heading: "Planned", align: "right" },
  { heading: "Failures", align: "right" },
  { heading: "Total", align: "right" },
  { heading: "Inflated", align: "right" },
  { heading: "Per unit", align: "right" },
];

function years(plan: Summary & { assumptions: readonly string[] }, width: number): string[] {
  const rows = plan.schedule.map((year) => [
    String(year.year),
    usd(year.planned_cost),
    usd(year.failure_cost),
    usd(year.total),
    usd(year.total_inflated),
    usd(year.per_unit_inflated),
  ]);
  const { totals, level_deposit: deposit } = plan;
  const { planned_inflated, run_to_failure_inflated } = totals;
  const all = ["Total", "", "", usd(totals.planned), usd(planned_inflated), ""];
  return [
    fittedTable(YEAR_COLUMNS, [...rows, all], width),
    wrapped(
      `Run-to-failure scenario: ${dollars(totals.run_to_failure)} (${dollars(run_to_failure_inflated)} inflated). ` +
        `The plan saves ${dollars(totals.savings)} in today's dollars.`,
      width,
    ),
    (["50", "80", "95"] as const)
      .map((sure) => {
        const { per_year, per_unit_per_month } = deposit[sure];
        return wrapped(
          `${sure}% confidence: ${dollars(per_year)} a year ` +
            `($${per_unit_per_month.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} per unit per month)`,
          width,
        );
      })
      .join("\n"),
    plan.assumptions.map((sentence) => wrapped(sentence, width, "- ")).join("\n"),
  ];
}

const paragraphs = (...parts: (string | false | null)[]) => parts.filter(Boolean).join("\n\n");

import type { ComponentChildren } from "preact";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { ReserveJson } from "../../api-schemas/figures-schema.ts";
import type { ForecastJson } from "../../api-schemas/forecast-schema.ts";
import type { PropertyPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PlanSummaryJson, PlanYearJson } from "../../api-schemas/plan-summary-schema.ts";
import type { Steps } from "../../domain/steps/computation-steps.ts";
import { singularCurrencyName, todaysMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { likelyFailuresWording } from "../../domain/wording/likely-failures-wording.ts";
import { WHY_PLAN_COSTS_MORE } from "../../domain/wording/plan-cost-wording.ts";
import { ScheduleChart, ScheduleChartLegend } from "../charts/schedule-chart.tsx";
import { type ActionRow, pageActionRows } from "../page/page-action-rows.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import {
  type BudgetCandidates,
  pageBudgetAllocationSteps,
  pageBudgetCandidates,
  sliderRange,
} from "../page/page-budget-allocation.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageMonthAYearAfter,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { type PlanLine, pagePlanLines } from "../page/page-plan-lines.ts";
import {
  type AllocatedBudget,
  BUDGET_DATA_ID,
  BUDGET_PLANNER_ID,
  type BudgetPlannerProps,
  BudgetSectionForm,
} from "./budget-section.tsx";
import { FailureCostForecastSection, ReserveContributionsSection } from "./reserve-and-forecast-section.tsx";
import { ReserveBalanceSectionTable, ReserveDepositSectionSentence } from "./reserve-deposit-section.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";
import { useSectionUnitWord } from "./section-unit-word.ts";

/** With more components than this, the page leaves their data out and its form asks the server. */
const MAX_EMBEDDED_COMPONENTS = 10_000;

type PlanLinks = {
  yearsCsv?: SectionCsvLink;
  reserveCsv?: SectionCsvLink;
  forecastCsv?: SectionCsvLink;
  /** The printable replacement reserve schedule. */
  schedule?: string | undefined;
};

export type RenderBudgetPlanner = (props: BudgetPlannerProps) => ComponentChildren;

/** Figures derived from a plan, to be shown with it. */
type PlanDetails = {
  /** The units and components, in the order of the plan. */
  lines: readonly PlanLine[];
  actions: readonly ActionRow[];
  budget: AllocatedBudget;
};

/** `budget` is the amount in USD that the reader entered, if any. */
export function* sectionPlanDetails(
  { plan, components }: { plan: PropertyPlanJson; components: readonly ComponentJson[] },
  applianceNames: ApplianceNames,
  budget: number | undefined,
): Steps<PlanDetails> {
  const lines = yield* pagePlanLines(plan, applianceNames);
  yield;
  const actions = yield* pageActionRows(lines, components, plan.as_of);
  const candidates = yield* pageBudgetCandidates(plan, applianceNames);
  const amount = initialBudget(candidates, budget);
  yield;
  return {
    lines,
    actions,
    budget: { candidates, amount, result: yield* pageBudgetAllocationSteps(candidates, amount) },
  };
}

export const pageSectionDueCount = ({ unit_count, component_count }: PlanSummaryDue) =>
  unit_count + component_count;
type PlanSummaryDue = Pick<PlanSummaryJson["due_now"], "unit_count" | "component_count">;

/** `2 whole appliances and 1 component` */
export function pageSectionDueNowCountText({ unit_count, component_count }: PlanSummaryDue): string {
  const parts = [
    ...(unit_count > 0 ? [formatPageCount(unit_count, "whole appliance")] : []),
    ...(component_count > 0 ? [formatPageCount(component_count, "component")] : []),
  ];
  return parts.length === 0 ? "nothing" : parts.join(" and ");
}

/** `$9,400 immediately`, `$600 by Nov 2027`: what is due now, by when. Leaves out what costs nothing. */
export const sectionDueAmountTexts = ({ due_now: { immediate, short_term }, as_of }: DueNow): string[] =>
  (
    [
      [immediate.cost, "immediate"],
      [short_term.cost, "short_term"],
    ] as const
  )
    .filter(([cost]) => Math.round(cost) > 0)
    .map(([cost, dueNow]) => `${formatPageMoney(Math.round(cost))} ${pageSectionDueNowDate(dueNow, as_of)}`);

/** `immediately`, `by Nov 2027`: by when work that is due now has to be done, in a plan as of a day. */
export const pageSectionDueNowDate = (dueNow: NonNullable<PlanLine["due_now"]>, asOf: string): string =>
  dueNow === "immediate" ? "immediately" : `by ${formatPageMonthAYearAfter(asOf)}`;
type DueNow = {
  as_of: string;
  due_now: Pick<PlanSummaryJson["due_now"], "immediate" | "short_term">;
};

/** The costs of a property: by year, the reserve that pays for them, and the budget planner. */
export function PlanCostsAndReserveSection(props: {
  plan: PropertyPlanJson;
  details: PlanDetails;
  forecast: ForecastJson;
  reserve: ReserveJson;
  links?: PlanLinks;
  /** Renders the budget planner. By default, a form that asks the server. */
  renderBudgetPlanner?: RenderBudgetPlanner | undefined;
}) {
  const { plan, details, forecast, reserve, links = {} } = props;
  const { due_now: due } = plan;
  // During an upgrade of several servers, an older one may answer, without this field.
  const likely = likelyFailuresWording(plan.likely_failures ?? { count: 0, cost: 0 });
  return (
    <ReportSection
      id="plan"
      title="Costs and reserve"
      about={`As of ${formatPageDate(plan.as_of)}. Amounts are in ${todaysMoney()} unless noted.`}
    >
      <p>
        To replace now: {pageSectionDueNowCountText(due)}
        {due.cost > 0 && (
          <>
            , <strong>{formatPageMoney(Math.round(due.cost))}</strong>:{" "}
            {sectionDueAmountTexts(plan).join(" and ")}. An escrow of {plan.escrow_pct}% is{" "}
            {formatPageMoney(Math.round(due.escrow))}
          </>
        )}
        .{likely && ` ${likely}`}
        {due.repairs.count > 0 &&
          ` Also due: ${formatPageCount(due.repairs.count, "minor part")} of appliances that stay (${formatPageMoney(Math.round(due.repairs.cost))}), paid as repairs.`}
      </p>
      <PlanCostsByYearSection plan={plan} units={plan.unit_count} links={links} />
      <ReconciliationTable lines={plan.reconciliation} />
      <FailureCostForecastSection forecast={forecast} csv={links.forecastCsv} />
      <ReserveContributionsSection reserve={reserve} csv={links.reserveCsv} />
      <BudgetPlanner budget={details.budget} renderBudgetPlanner={props.renderBudgetPlanner} />
    </ReportSection>
  );
}

/** How the figures of the coming 12 months fit together. */
function ReconciliationTable({ lines }: { lines: PropertyPlanJson["reconciliation"] }) {
  return (
    <CollapsedSectionTable
      summary="How the figures of 12 months fit together"
      rows={lines}
      columns={[
        { heading: "Figure", cell: ({ label }) => label },
        { heading: "Amount", isNumber: true, cell: ({ amount }) => formatPageMoney(Math.round(amount)) },
        { heading: "Counts", cell: ({ counts }) => <span class="small">{counts}</span> },
      ]}
    />
  );
}

/** `+$15,804 if delayed 12 months` */
export const pageSectionDelayCostText = (usd: number) =>
  `${usd >= 0.5 ? "+" : ""}${formatPageMoney(Math.round(usd))} if delayed 12 months`;

/** The costs by year of a property's or a portfolio's plan, its savings, and the deposit that funds it. */
export function PlanCostsByYearSection({
  plan,
  units,
  links = {},
  rowPer = "component",
}: {
  plan: PlanSummaryJson;
  units?: number;
  links?: PlanLinks;
  /** The subject of a row of the printable schedule. */
  rowPer?: string;
}) {
  const { totals, schedule } = plan;
  const word = useSectionUnitWord();
  return (
    <>
      <h3>{plan.years === 1 ? "Next 12 months" : `Next ${formatPageWholeNumber(plan.years)} years`}</h3>
      <p class="about">
        Expected {formatPageWholeNumber(plan.years)}-year cost: {formatPageMoney(Math.round(totals.planned))}{" "}
        with this plan, {formatPageMoney(Math.round(totals.run_to_failure))} if everything runs to failure
        {totals.savings > 0.5 && ` (a saving of ${formatPageMoney(Math.round(totals.savings))})`}.
        {totals.savings < -0.5 &&
          ` In this period the plan costs ${formatPageMoney(Math.round(-totals.savings))} more: ${WHY_PLAN_COSTS_MORE}.`}
      </p>
      <ScheduleChart years={schedule} schedule={links.schedule} />
      <ScheduleChartLegend />
      <ReserveDepositSectionSentence plan={plan} />
      <ReserveBalanceSectionTable plan={plan} />
      <CollapsedSectionTable
        summary="View by year (table)"
        csv={links.yearsCsv}
        rows={schedule}
        note={`Year 1 starts on ${formatPageDate(plan.as_of)}. Costs are in ${todaysMoney()}, except in the columns with inflation, which include ${plan.inflation_pct}% inflation a year.${units ? ` Costs per ${word} are for ${formatPageCount(units, word)}.` : ""}`}
        columns={[
          { heading: "Year", cell: (year) => year.year },
          {
            heading: "Planned replacements",
            isNumber: true,
            cell: (year) => formatPageMoney(Math.round(year.planned_cost)),
          },
          {
            heading: "Unplanned failures",
            isNumber: true,
            cell: (year) => formatPageMoney(Math.round(year.failure_cost)),
          },
          {
            heading: "Repairs",
            isNumber: true,
            cell: (year) => formatPageMoney(Math.round(year.repair_cost)),
          },
          { heading: "Total", isNumber: true, cell: (year) => formatPageMoney(Math.round(year.total)) },
          {
            heading: "Run to failure",
            isNumber: true,
            cell: (year) => formatPageMoney(Math.round(year.run_to_failure)),
          },
          {
            heading: "Total with inflation",
            isNumber: true,
            cell: (year) => formatPageMoney(Math.round(year.total_inflated)),
          },
          ...(schedule.some(({ per_unit_inflated }) => per_unit_inflated !== null)
            ? [
                {
                  heading: `Per ${word} with inflation`,
                  isNumber: true,
                  cell: (year: PlanYearJson) => formatPageMoney(Math.round(year.per_unit_inflated ?? 0)),
                },
              ]
            : []),
        ]}
      />
      {links.schedule && (
        <p class="screen small reserve-schedule">
          <a href={links.schedule}>Replacement reserve schedule</a> (printable; one row per {rowPer}, one
          column per year)
        </p>
      )}
    </>
  );
}

function BudgetPlanner({
  budget,
  renderBudgetPlanner,
}: {
  budget: AllocatedBudget;
  renderBudgetPlanner: RenderBudgetPlanner | undefined;
}) {
  const { candidates, amount } = budget;
  return (
    <>
      <h3>Budget planner</h3>
      {candidates.components.length === 0 ? (
        <p class="empty">No replacement is cost-effective right now.</p>
      ) : (
        <>
          <p class="about">
            Hazards and safety items come first, then what saves the most per {singularCurrencyName()}, until
            the budget is used.
          </p>
          {renderBudgetPlanner ? (
            renderBudgetPlanner({ candidates, amount })
          ) : (
            <EnhancedBudgetForm {...budget} />
          )}
        </>
      )}
    </>
  );
}

/** The budget that the reader entered, up to the cost of all candidates; by default, a quarter of that cost. */
function initialBudget(candidates: BudgetCandidates, requested: number | undefined): number {
  const { max, step } = sliderRange(candidates);
  return Math.min(requested ?? Math.ceil(max / 4 / step) * step, max);
}

/** The form, with the data from which a script turns it into a slider. */
function EnhancedBudgetForm(props: AllocatedBudget) {
  const { candidates, amount } = props;
  if (candidates.components.length > MAX_EMBEDDED_COMPONENTS) return <BudgetSectionForm {...props} />;
  const data: BudgetPlannerProps = { candidates, amount };
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return (
    <>
      <div id={BUDGET_PLANNER_ID}>
        <BudgetSectionForm {...props} />
      </div>
      <script type="application/json" id={BUDGET_DATA_ID} dangerouslySetInnerHTML={{ __html: json }} />
    </>
  );
}

import type { ComponentChildren } from "preact";
import type { Steps } from "../../domain/steps.ts";
import type { PlannedComponentJson, PlanSummaryJson, PropertyPlanJson } from "../../wire/plan.ts";
import {
  allocateBudgetInSteps,
  type BudgetCandidates,
  candidatesInSteps,
  sliderRange,
} from "../budget-planner.ts";
import { ScheduleChart, ScheduleLegend } from "../charts/schedule-chart.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, date, money } from "../format.ts";
import { componentKind, groupInSteps, sumBy } from "../grouping.ts";
import { POLICY_LABELS } from "../labels.ts";
import type { Locations } from "../locations.ts";
import {
  type AllocatedBudget,
  BUDGET_DATA_ID,
  BUDGET_PLANNER_ID,
  BudgetForm,
  type BudgetPlannerProps,
} from "./budget-planner.tsx";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

const MAX_GROUPS = 6;
/** With more components than this, the page leaves their data out and its form asks the server. */
const MAX_EMBEDDED_COMPONENTS = 10_000;

type PlanLinks = {
  yearsCsv?: CsvLink;
  componentsCsv?: CsvLink;
  /** The printable replacement reserve schedule. */
  schedule?: string | undefined;
};

export type RenderBudgetPlanner = (props: BudgetPlannerProps) => ComponentChildren;

/** Figures derived from a plan, to be shown with it. */
type PlanDetails = {
  due: readonly PlannedComponentJson[];
  /** The due ones grouped by kind, highest cost of delay first. */
  dueGroups: readonly { group: readonly PlannedComponentJson[]; delayUsd: number }[];
  budget: AllocatedBudget;
};

/** `budget` is the amount in USD that the reader entered, if any. */
export function* planDetailsInSteps(
  { components }: PropertyPlanJson,
  locations: Locations,
  budget: number | undefined,
): Steps<PlanDetails> {
  const due = components.filter(({ policy }) => policy === "replace_now");
  yield;
  const dueGroups = (yield* groupInSteps(due, componentKind))
    .map((group) => ({ group, delayUsd: sumBy(group, (component) => component.cost_of_waiting_a_year) }))
    .sort((a, b) => b.delayUsd - a.delayUsd);
  const candidates = yield* candidatesInSteps(components, locations);
  const amount = initialBudget(candidates, budget);
  yield;
  return {
    due,
    dueGroups,
    budget: { candidates, amount, result: yield* allocateBudgetInSteps(candidates, amount) },
  };
}

/** The plan of a property: what is due now, the costs by year, the reserve deposit, and the budget planner. */
export function RecommendedActions(props: {
  plan: PropertyPlanJson;
  details: PlanDetails;
  locations: Locations;
  links?: PlanLinks;
  /** Renders the budget planner. By default, a form that asks the server. */
  renderBudgetPlanner?: RenderBudgetPlanner | undefined;
}) {
  const { plan, details, locations, links = {} } = props;
  const { due } = details;
  const delayUsd = Math.round(sumBy(due, (component) => component.cost_of_waiting_a_year));
  return (
    <Section
      id="plan"
      title="Recommended actions"
      about={`Recommended replacements and timing as of ${date(plan.as_of)}. Amounts are in today’s dollars unless noted.`}
    >
      <dl class="figures">
        <div>
          <dt>Due now</dt>
          <dd>{counted(due.length, "component")}</dd>
          <dd class="small muted">
            {due.length === 0
              ? "no components are past their economic replacement age"
              : "past their economic replacement age"}
          </dd>
        </div>
        <div>
          <dt>Planned replacement cost</dt>
          <dd>{money(Math.round(plan.immediate.cost))}</dd>
          <dd class="small muted">of components due now</dd>
        </div>
        <div>
          <dt>Net cost of a 12-month delay</dt>
          <dd>{money(delayUsd)}</dd>
          <dd class="small muted">of components due now</dd>
        </div>
      </dl>
      {due.length > 0 && <DueNow groups={details.dueGroups} locations={locations} />}
      <TableDetails
        summary="Full action list"
        csv={links.componentsCsv}
        rows={plan.components}
        columns={[
          {
            heading: "Component",
            cell: (row) => (
              <>
                <TierMark tier={row.risk_tier} /> {row.component_name}
              </>
            ),
          },
          { heading: "Location", cell: (row) => locations.of(row) },
          { heading: "Action", cell: (row) => POLICY_LABELS[row.policy] },
          {
            heading: "Due date",
            isNumber: true,
            cell: (row) => (row.replace_on === null ? "–" : date(row.replace_on)),
          },
          { heading: "Planned cost", isNumber: true, cell: (row) => money(row.proactive_cost) },
          { heading: "Cost after failure", isNumber: true, cell: (row) => money(row.reactive_cost) },
          {
            heading: "Net cost of delay",
            isNumber: true,
            cell: (row) => money(Math.round(row.cost_of_waiting_a_year)),
          },
        ]}
        note="Net cost of a 12-month delay = (probability of failure × extra cost of failure) − one year of deferred replacement cost. A negative value means waiting is cheaper."
      />
      <CostsByYear plan={plan} units={plan.unit_count} links={links} />
      <BudgetPlanner budget={details.budget} renderBudgetPlanner={props.renderBudgetPlanner} />
    </Section>
  );
}

function DueNow({ groups, locations }: { groups: PlanDetails["dueGroups"]; locations: Locations }) {
  const rest = groups.slice(MAX_GROUPS).flatMap(({ group }) => group);
  return (
    <ul class="due-now">
      {groups.slice(0, MAX_GROUPS).map(({ group, delayUsd }) => (
        <li>
          <span>
            {group[0]!.component_name}
            {group.length > 1 && ` × ${count(group.length)}`}{" "}
            <span class="muted small">{locations.ofGroup(group)}</span>
          </span>
          <strong class="number">{money(sumBy(group, (component) => component.proactive_cost))}</strong>
          <span class="number muted small">{delayCost(delayUsd)}</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li class="muted">
          <span>
            {count(rest.length)} more {rest.length === 1 ? "component" : "components"}
          </span>
          <span class="number">{money(sumBy(rest, (component) => component.proactive_cost))}</span>
          <span class="number small">
            {delayCost(sumBy(rest, (component) => component.cost_of_waiting_a_year))}
          </span>
        </li>
      )}
    </ul>
  );
}

/** `+$15,804 if delayed 12 months` */
export const delayCost = (usd: number) =>
  `${usd >= 0.5 ? "+" : ""}${money(Math.round(usd))} if delayed 12 months`;

/** The costs by year of a property's or a portfolio's plan, its savings, and the deposit that funds it. */
export function CostsByYear({
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
  return (
    <>
      <h3>{plan.years === 1 ? "Next 12 months" : `Next ${count(plan.years)} years`}</h3>
      <p class="about">
        Expected {count(plan.years)}-year cost: {money(Math.round(totals.planned))} with this plan
        {totals.savings > 0.5
          ? `, ${money(Math.round(totals.run_to_failure))} if every component runs to failure (a saving of ${money(Math.round(totals.savings))}).`
          : ". Early replacement saves nothing."}
      </p>
      <ScheduleChart years={schedule} />
      <ScheduleLegend />
      <DepositSentence plan={plan} />
      <TableDetails
        summary="View by year (table)"
        csv={links.yearsCsv}
        rows={schedule}
        note={`Year 1 starts on ${date(plan.as_of)}. Costs are in today’s dollars, except in the last two columns, which include ${plan.inflation_pct}% inflation a year.${units === undefined ? "" : ` Per-unit costs are for ${counted(Math.max(units, 1), "unit")}.`}`}
        columns={[
          { heading: "Year", cell: (year) => year.year },
          {
            heading: "Planned replacements",
            isNumber: true,
            cell: (year) => money(Math.round(year.planned_cost)),
          },
          {
            heading: "Unplanned failures",
            isNumber: true,
            cell: (year) => money(Math.round(year.failure_cost)),
          },
          { heading: "Total", isNumber: true, cell: (year) => money(Math.round(year.total)) },
          {
            heading: "Run to failure",
            isNumber: true,
            cell: (year) => money(Math.round(year.run_to_failure)),
          },
          {
            heading: "Total with inflation",
            isNumber: true,
            cell: (year) => money(Math.round(year.total_inflated)),
          },
          {
            heading: "Per unit with inflation",
            isNumber: true,
            cell: (year) => money(Math.round(year.per_unit_inflated)),
          },
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

/** The annual deposit that funds the plan's costs, and the deposits for higher confidence. */
export function DepositSentence({ plan }: { plan: PlanSummaryJson }) {
  const { level_deposit: deposit, years, inflation_pct } = plan;
  const yearly = (confidence: "50" | "80" | "95") => (
    <strong>{money(Math.ceil(deposit[confidence].per_year))}</strong>
  );
  return (
    <p class="deposit">
      To fund the expected {years === 1 ? "costs of the year" : `${years}-year costs`} from a zero opening
      balance, at {inflation_pct}% inflation, deposit {yearly("50")} a year (
      {money(deposit["50"].per_unit_per_month)} per unit per month). For 80% confidence: {yearly("80")} a
      year. For 95% confidence: {yearly("95")} a year.
    </p>
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
          <p class="about">Components are selected by savings per dollar until the budget is used.</p>
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
  if (candidates.components.length > MAX_EMBEDDED_COMPONENTS) return <BudgetForm {...props} />;
  const data: BudgetPlannerProps = { candidates, amount };
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return (
    <>
      <div id={BUDGET_PLANNER_ID}>
        <BudgetForm {...props} />
      </div>
      <script type="application/json" id={BUDGET_DATA_ID} dangerouslySetInnerHTML={{ __html: json }} />
    </>
  );
}

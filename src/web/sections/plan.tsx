import type { ComponentChildren } from "preact";
import type { Steps } from "../../domain/steps.ts";
import type { PlannedComponentJson, PlanSummaryJson, PropertyPlanJson } from "../../wire/plan.ts";
import { groupedInSteps, kindOf, sumOf } from "../alike.ts";
import { ScheduleChart, ScheduleLegend } from "../charts/schedule-chart.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, date, money } from "../format.ts";
import { bargainInSteps, type Offer, offerInSteps, rangeOf } from "../spending.ts";
import { type Places, POLICY_WORDS } from "../words.ts";
import { type Csv, Numbers, Section } from "./section.tsx";
import { SPENDING_DATA, SPENDING_PLACE, SpendingForm, type SpendingProps, type Spent } from "./spending.tsx";

const SHOWN = 6;
/** The most parts whose numbers a page carries for its slider; with more, its form asks the server. */
const MOST_CARRIED = 10_000;

export type PlanLinks = {
  /** The years, and the parts, as CSV. */
  yearsCsv?: Csv;
  partsCsv?: Csv;
  /** The replacement reserve schedule, for print. */
  schedule?: string | undefined;
};

export type Spendings = (props: SpendingProps) => ComponentChildren;

/** What is told of a plan beyond its own sums. */
export type Advice = {
  due: readonly PlannedComponentJson[];
  /** Those by kind, the dearest to wait for first. */
  dueAlike: readonly { group: readonly PlannedComponentJson[]; waiting: number }[];
  spent: Spent;
};

/** `budget`: in USD, that was asked about. */
export function* adviceInSteps(
  { components }: PropertyPlanJson,
  places: Places,
  budget: number | undefined,
): Steps<Advice> {
  const due = components.filter(({ policy }) => policy === "replace_now");
  yield;
  const dueAlike = (yield* groupedInSteps(due, kindOf))
    .map((group) => ({ group, waiting: sumOf(group, (one) => one.cost_of_waiting_a_year) }))
    .sort((a, b) => b.waiting - a.waiting);
  const offer = yield* offerInSteps(components, places);
  const amount = amountFor(offer, budget);
  yield;
  return { due, dueAlike, spent: { offer, amount, bargain: yield* bargainInSteps(offer, amount) } };
}

/** What to do about a property: what is due, what the years cost, what to set aside, and what a budget buys. */
export function WhatToDo(props: {
  plan: PropertyPlanJson;
  advice: Advice;
  places: Places;
  links?: PlanLinks;
  /** In place of the form that asks the server for another budget. */
  spending?: Spendings | undefined;
}) {
  const { plan, advice, places, links = {} } = props;
  const { due } = advice;
  const waiting = Math.round(sumOf(due, (one) => one.cost_of_waiting_a_year));
  return (
    <Section
      id="plan"
      title="What to do"
      about={`What is best replaced and when, from ${date(plan.as_of)}, in today’s dollars unless said otherwise.`}
    >
      <dl class="figures">
        <div>
          <dt>Due now</dt>
          <dd>{counted(due.length, "part")}</dd>
          <dd class="small mute">
            {due.length === 0 ? "nothing is past its best age" : "past the age at which replacing pays"}
          </dd>
        </div>
        <div>
          <dt>To replace them</dt>
          <dd>{money(Math.round(plan.immediate.cost))}</dd>
          <dd class="small mute">as planned work</dd>
        </div>
        <div>
          <dt>To wait a year with them</dt>
          <dd>{money(waiting)}</dd>
          <dd class="small mute">more than waiting saves</dd>
        </div>
      </dl>
      {due.length > 0 && <DueNow groups={advice.dueAlike} places={places} />}
      <Numbers
        summary={plan.components.length > 100 ? "What to do with every part" : "What to do with each part"}
        csv={links.partsCsv}
        rows={plan.components}
        columns={[
          {
            heading: "Part",
            cell: (one) => (
              <>
                <TierMark tier={one.risk_tier} /> {one.component_name}
              </>
            ),
          },
          { heading: "Where", cell: (one) => places.of(one) },
          { heading: "Do", cell: (one) => POLICY_WORDS[one.policy] },
          { heading: "Due", cell: (one) => (one.replace_on === null ? "–" : date(one.replace_on)) },
          { heading: "Planned", isNumber: true, cell: (one) => money(one.proactive_cost) },
          { heading: "After failure", isNumber: true, cell: (one) => money(one.reactive_cost) },
          {
            heading: "To wait a year",
            isNumber: true,
            cell: (one) => money(Math.round(one.cost_of_waiting_a_year)),
          },
        ]}
        note="A year of waiting costs the risk of a failure’s extra cost, less a year of a well kept part; below zero waiting is the better choice."
      />
      <Years plan={plan} units={plan.unit_count} links={links} />
      <WhatMoneyBuys spent={advice.spent} spending={props.spending} />
    </Section>
  );
}

function DueNow({ groups, places }: { groups: Advice["dueAlike"]; places: Places }) {
  const rest = groups.slice(SHOWN).flatMap(({ group }) => group);
  return (
    <ul class="due-now">
      {groups.slice(0, SHOWN).map(({ group, waiting }) => (
        <li>
          <span>
            {group[0]!.component_name}
            {group.length > 1 && ` × ${count(group.length)}`}{" "}
            <span class="mute small">{places.ofSeveral(group)}</span>
          </span>
          <strong class="number">{money(sumOf(group, (one) => one.proactive_cost))}</strong>
          <span class="number mute small">{money(Math.round(waiting))} to wait</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li class="mute">
          <span>and {counted(rest.length, "part")} more</span>
          <span class="number">{money(sumOf(rest, (one) => one.proactive_cost))}</span>
          <span class="number small">
            {money(Math.round(sumOf(rest, (one) => one.cost_of_waiting_a_year)))} to wait
          </span>
        </li>
      )}
    </ul>
  );
}

/** The years of a property's or a portfolio's plan: the schedule, what it saves, and the deposit that carries it. */
export function Years({
  plan,
  units,
  links = {},
  rowsAre = "a part",
}: {
  plan: PlanSummaryJson;
  units?: number;
  links?: PlanLinks;
  /** What has a row of the schedule. */
  rowsAre?: string;
}) {
  const { totals, schedule } = plan;
  return (
    <>
      <h3>{plan.years === 1 ? "The coming year" : `The next ${count(plan.years)} years`}</h3>
      <p class="about">
        Following the plan is expected to cost {money(Math.round(totals.planned))}, failures included;{" "}
        {totals.savings > 0.5
          ? `running every part to failure, ${money(Math.round(totals.run_to_failure))}: ${money(Math.round(totals.savings))} more.`
          : "there is nothing to save by replacing sooner."}
      </p>
      <ScheduleChart years={schedule} />
      <ScheduleLegend />
      <DepositSentence plan={plan} />
      <Numbers
        summary="The years in a table"
        csv={links.yearsCsv}
        rows={schedule}
        note={`Year 1 begins on ${date(plan.as_of)}. Costs are in today’s dollars; the last two columns are in the money of their year, at ${plan.inflation_pct}% inflation, the last for each ${units === undefined ? "unit" : `of ${counted(Math.max(units, 1), "unit")}`}.`}
        columns={[
          { heading: "Year", cell: (year) => year.year },
          { heading: "Planned", isNumber: true, cell: (year) => money(Math.round(year.planned_cost)) },
          { heading: "Failures", isNumber: true, cell: (year) => money(Math.round(year.failure_cost)) },
          { heading: "Total", isNumber: true, cell: (year) => money(Math.round(year.total)) },
          {
            heading: "Run to failure",
            isNumber: true,
            cell: (year) => money(Math.round(year.run_to_failure)),
          },
          {
            heading: "With inflation",
            isNumber: true,
            cell: (year) => money(Math.round(year.total_inflated)),
          },
          { heading: "Per unit", isNumber: true, cell: (year) => money(Math.round(year.per_unit_inflated)) },
        ]}
      />
      {links.schedule && (
        <p class="screen small reserve-schedule">
          <a href={links.schedule}>Replacement reserve schedule</a>, a row {rowsAre} and a column a year, for
          print
        </p>
      )}
    </>
  );
}

/** What a lender asks first: the deposit that carries the years, and what more certainty takes. */
export function DepositSentence({ plan }: { plan: PlanSummaryJson }) {
  const { level_deposit: deposit, years, inflation_pct } = plan;
  const yearly = (confidence: "50" | "80" | "95") => (
    <strong>{money(Math.ceil(deposit[confidence].per_year))}</strong>
  );
  return (
    <p class="deposit">
      A level deposit of {yearly("50")} a year ({money(deposit["50"].per_unit_per_month)} per unit per month)
      covers the costs that are expected over {years === 1 ? "the year" : `the ${years} years`} at{" "}
      {inflation_pct}% inflation, beginning with an empty reserve. To cover them with 80% confidence takes{" "}
      {yearly("80")} a year, and with 95% confidence {yearly("95")}.
    </p>
  );
}

function WhatMoneyBuys({ spent, spending }: { spent: Spent; spending: Spendings | undefined }) {
  const { offer, amount } = spent;
  return (
    <>
      <h3>What a budget buys</h3>
      {offer.parts.length === 0 ? (
        <p class="empty">
          There is no part with which waiting costs more than it saves: nothing to spend a budget on now.
        </p>
      ) : (
        <>
          <p class="about">
            First what saves most for each dollar, each part that what is left of the money still pays for.
          </p>
          {spending ? spending({ offer, amount }) : <OfferedToScripts {...spent} />}
        </>
      )}
    </>
  );
}

/** The budget that was asked about, else a quarter of what there is to buy. */
function amountFor(offer: Offer, asked: number | undefined): number {
  const { most, step } = rangeOf(offer);
  return Math.min(asked ?? Math.ceil(most / 4 / step) * step, most);
}

/** The form, with what a script needs to make a slider of it. */
function OfferedToScripts(props: Spent) {
  const { offer, amount } = props;
  if (offer.parts.length > MOST_CARRIED) return <SpendingForm {...props} />;
  const data = JSON.stringify({ offer, amount }).replaceAll("<", "\\u003c");
  return (
    <>
      <div id={SPENDING_PLACE}>
        <SpendingForm {...props} />
      </div>
      <script type="application/json" id={SPENDING_DATA} dangerouslySetInnerHTML={{ __html: data }} />
    </>
  );
}

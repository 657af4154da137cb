import { useEffect, useRef, useState } from "preact/hooks";
import { oneOfCurrency } from "../../domain/currency-and-units.ts";
import { PLAN_LIMITS } from "../../domain/planning/plan-terms.ts";
import type { PlannedPropertyJson, PortfolioPlanPageJson } from "../../wire/portfolio-plan.ts";
import { assumptionSentences } from "../assumption-sentences.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { LoadedContent } from "../browser/load-states.tsx";
import { hrefTo, type Route, replaceQuery } from "../browser/route.ts";
import { useLoad } from "../browser/use-load.ts";
import { type BudgetLine, type BudgetResult, sliderRangeUpTo } from "../budget-planner.ts";
import { count, countWithNoun, date, money } from "../format.ts";
import { AmountSlider, BudgetOutcome } from "../sections/budget-planner.tsx";
import { dueNowHeadline, HeadlineFigures } from "../sections/condition.tsx";
import { CostsByYear, delayCost, dueCount, dueNowText } from "../sections/plan.tsx";
import { Section } from "../sections/section.tsx";
import { useApp } from "./app-context.ts";
import { useApiCallCost } from "./call-cost.ts";
import { LoadMore } from "./load-more.tsx";
import { budgetInAddress } from "./plan-terms-controls.tsx";

const PROPERTIES_SHOWN = 8;
/** The most properties that one call returns. */
const PROPERTIES_PER_CALL = 200;
/** The time for which the slider must rest before its amount is requested: every amount takes a call. */
const DEBOUNCE_MS = 400;

/** The plan of a request with a budget, which allocates it. */
type BudgetedPlan = Omit<PortfolioPlanPageJson, "budget" | "portfolio"> & {
  budget: NonNullable<PortfolioPlanPageJson["budget"]>;
  portfolio: BudgetedProperty[];
};
type BudgetedProperty = PlannedPropertyJson & { budget: NonNullable<PlannedPropertyJson["budget"]> };

/** The address of the plan, by default with an unlimited budget. */
export const portfolioPlanPath = (query: Readonly<Record<string, string>> = {}) =>
  `/v1/portfolio/plan?${new URLSearchParams({
    limit: String(PROPERTIES_PER_CALL),
    budget: String(PLAN_LIMITS.budgetUsd.most),
    ...query,
  })}`;

/** Reads the plan with a number of pages of its properties. */
async function readPlan(api: ApiClient, pages: number, query: Readonly<Record<string, string>> = {}) {
  const first = await api.read<BudgetedPlan>(portfolioPlanPath(query));
  const portfolio = [...first.portfolio];
  for (let page = 1; page < pages && portfolio.length < first.total; page++) {
    const path = portfolioPlanPath({ ...query, offset: String(page * PROPERTIES_PER_CALL) });
    portfolio.push(...(await api.read<BudgetedPlan>(path)).portfolio);
  }
  return { ...first, portfolio };
}

/** The plan of the portfolio and more of its properties, on request. */
export function usePortfolioPlan() {
  const { api, portfolio } = useApp();
  const [pages, setPages] = useState(1);
  const { includesDemo } = portfolio.state;
  const demo: Readonly<Record<string, string>> = includesDemo ? { include_demo: "true" } : {};
  const plan = useLoad(`plan ${includesDemo}`, () => readPlan(api, pages, demo));
  const loadMore = () => {
    setPages(pages + 1);
    plan.reload();
  };
  return { plan, pages, demo, loadMore };
}

/** The work of the whole portfolio in one sentence and three figures. */
export function DueWorkOfPortfolio({ plan }: { plan: ReturnType<typeof usePortfolioPlan>["plan"] }) {
  return (
    <section class="card lead" aria-labelledby="lead">
      <h2 id="lead" class="visually-hidden">
        What to do
      </h2>
      <LoadedContent loaded={plan} what="the plan">
        {(value) => (
          <>
            <p class="headline">{dueNowHeadline({ plan: value, hazards: 0 })}</p>
            <HeadlineFigures plan={value} />
            <p class="small">
              <a href={hrefTo(["actions"], { due: "0" })}>All actions that are due now</a>
            </p>
          </>
        )}
      </LoadedContent>
    </section>
  );
}

/** The plan of the portfolio: the work due by property, the costs by year, the reserve deposit, and the budget planner. */
export function PortfolioPlanSection(props: { route: Route } & ReturnType<typeof usePortfolioPlan>) {
  const { plan, pages, demo, loadMore, route } = props;
  return (
    <Section
      id="plan"
      title="Costs and reserve"
      about="Where the work is that is due now, and what all properties cost by year."
    >
      <LoadedContent loaded={plan} what="the plan">
        {(value) => (
          <>
            <DueByProperty plan={value} isLoading={plan.isLoading} onMore={loadMore} />
            <CostsByYear plan={value} links={{ schedule: hrefTo(["schedule"]) }} rowPer="property" />
            <PortfolioBudgetPlanner all={value} pages={pages} demo={demo} route={route} />
            <p class="small muted rests-on">{assumptionSentences(value.counted_assumptions).join(" ")}</p>
          </>
        )}
      </LoadedContent>
    </Section>
  );
}

function DueByProperty(props: { plan: BudgetedPlan; isLoading: boolean; onMore: () => void }) {
  const { plan, isLoading, onMore } = props;
  const { due_now, portfolio, total } = plan;
  if (dueCount(due_now) === 0) return <p class="empty">No replacement is due now.</p>;
  const due = portfolio.filter((property) => dueCount(property.due_now) > 0);
  const shown = due
    .toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year)
    .slice(0, PROPERTIES_SHOWN);
  const isPartial = total > portfolio.length;
  return (
    <>
      <p class="deposit">
        {shown.length === 0
          ? `Nothing is due now in the first ${count(portfolio.length)} properties.`
          : `Due now (${date(plan.as_of)}) in the properties with the highest cost of delay${isPartial ? ` of the first ${count(portfolio.length)}` : ""}:`}
      </p>
      {shown.length > 0 && (
        <ul class="due-now">
          {shown.map((property) => (
            <li>
              <span>
                <a href={hrefTo(["properties", property.property_id])}>
                  <bdi>{property.name}</bdi>
                </a>{" "}
                <span class="muted small">{dueNowText(property.due_now)}</span>
              </span>
              <strong class="number">{money(Math.round(property.due_now.cost))}</strong>
              <span class="number muted small">{delayCost(property.cost_of_waiting_a_year)}</span>
            </li>
          ))}
        </ul>
      )}
      <LoadMore loaded={portfolio.length} total={total} isLoading={isLoading} onMore={onMore} />
    </>
  );
}

/** The budget planner for all properties, which asks the API for each amount. */
function PortfolioBudgetPlanner({
  all,
  pages,
  demo,
  route,
}: {
  all: BudgetedPlan;
  pages: number;
  demo: Readonly<Record<string, string>>;
  route: Route;
}) {
  const { api } = useApp();
  const range = sliderRangeUpTo(all.budget.spent);
  const [amount, setAmount] = useState(Math.min(budgetInAddress(route) ?? range.max, range.max));
  const [requested, setRequested] = useState(amount);
  useEffect(() => {
    if (amount === requested) return;
    const timer = setTimeout(() => {
      setRequested(amount);
      replaceQuery(route, { budget: String(amount) });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [amount, requested, route]);
  // The plan itself was requested with an unlimited budget.
  const isUnlimited = requested >= all.budget.spent;
  const plan = useLoad(isUnlimited ? `all ${all.portfolio.length}` : `${requested} ${pages}`, async () =>
    isUnlimited ? all : await readPlan(api, pages, { ...demo, budget: String(requested) }),
  );
  const cost = useApiCallCost()(pages);
  const last = useRef(all);
  if (plan.value) last.current = plan.value;
  const isPending = amount !== requested || plan.isLoading;
  if (all.budget.spent === 0)
    return (
      <>
        <h3>Budget planner</h3>
        <p class="empty">No replacement is cost-effective right now.</p>
      </>
    );
  return (
    <>
      <h3>Budget planner</h3>
      <p class="about screen">
        Hazards and safety items come first, then what saves most per {oneOfCurrency()}, until the budget is
        used.{cost && ` Each new amount uses ${cost}.`}
        {all.total > all.portfolio.length &&
          ` The list shows the first ${count(all.portfolio.length)} properties. Totals include all properties.`}
      </p>
      <AmountSlider range={range} amount={amount} onSlide={setAmount} />
      <div class={isPending ? "budget-request is-pending" : "budget-request"} aria-busy={isPending}>
        {plan.failure && !isPending ? (
          <p role="alert">
            {plan.failure.message}{" "}
            <button type="button" class="plain" onClick={plan.reload}>
              Try again
            </button>
          </p>
        ) : (
          <BudgetOutcome
            result={resultOf(all, last.current)}
            amount={Math.min(last.current.budget.amount, range.max)}
          />
        )}
      </div>
    </>
  );
}

/** Compares a plan with a budget to the plan with an unlimited one, by property. */
function resultOf(all: BudgetedPlan, { budget, portfolio }: BudgetedPlan): BudgetResult {
  const shares = new Map(portfolio.map((property) => [property.property_id, property.budget]));
  const none = { chosen_count: 0, spent: 0, avoided: 0 };
  const included = all.portfolio.map((property) =>
    lineOf(property, shares.get(property.property_id) ?? none),
  );
  const excluded = all.portfolio.map((property) => {
    const { chosen_count, spent, avoided } = shares.get(property.property_id) ?? none;
    return lineOf(property, {
      chosen_count: property.budget.chosen_count - chosen_count,
      spent: property.budget.spent - spent,
      avoided: property.budget.avoided - avoided,
    });
  });
  const byDelayCost = (lines: BudgetLine[]) =>
    lines.filter(({ count }) => count > 0).sort((a, b) => b.delayCostUsd - a.delayCostUsd);
  return {
    count: budget.chosen_count,
    spentUsd: budget.spent,
    avoidedUsd: budget.avoided,
    remainingUsd: Math.max(all.budget.avoided - budget.avoided, 0),
    included: byDelayCost(included),
    excluded: byDelayCost(excluded),
  };
}

const lineOf = (property: BudgetedProperty, share: BudgetedProperty["budget"]): BudgetLine => ({
  name: property.name,
  where: countWithNoun(share.chosen_count, "unit or component", "units and components"),
  address: hrefTo(["properties", property.property_id]),
  count: share.chosen_count,
  costUsd: share.spent,
  delayCostUsd: share.avoided,
});

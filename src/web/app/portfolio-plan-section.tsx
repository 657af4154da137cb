import { useEffect, useRef, useState } from "preact/hooks";
import { PLAN_LIMITS } from "../../domain/planning/property-plan.ts";
import type { PlannedPropertyJson, PortfolioPlanPageJson } from "../../wire/portfolio-plan.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { LoadedContent } from "../browser/load-states.tsx";
import { hrefTo, type Route, replaceQuery } from "../browser/route.ts";
import { useLoad } from "../browser/use-load.ts";
import { type BudgetLine, type BudgetResult, sliderRangeUpTo } from "../budget-planner.ts";
import { count, counted, date, money } from "../format.ts";
import { AmountSlider, BudgetOutcome } from "../sections/budget-planner.tsx";
import { CostsByYear, delayCost } from "../sections/plan.tsx";
import { Section } from "../sections/section.tsx";
import { useApp } from "./app-context.ts";
import { LoadMore } from "./load-more.tsx";
import { budgetOf } from "./plan-terms.tsx";

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

/** The plan of the portfolio: the work due by property, the costs by year, the reserve deposit, and the budget planner. */
export function PortfolioPlanSection({ route }: { route: Route }) {
  const { api } = useApp();
  const [pages, setPages] = useState(1);
  const plan = useLoad("plan", () => readPlan(api, pages));
  const more = () => {
    setPages(pages + 1);
    plan.reload();
  };
  return (
    <Section
      id="plan"
      title="Recommended actions"
      about="Recommended replacements and timing in all properties."
    >
      <LoadedContent loaded={plan} what="the plan">
        {(value) => (
          <>
            <DueByProperty plan={value} isLoading={plan.isLoading} onMore={more} />
            <CostsByYear plan={value} links={{ schedule: hrefTo(["schedule"]) }} rowPer="property" />
            <PortfolioBudgetPlanner all={value} pages={pages} route={route} />
          </>
        )}
      </LoadedContent>
    </Section>
  );
}

function DueByProperty(props: { plan: BudgetedPlan; isLoading: boolean; onMore: () => void }) {
  const { plan, isLoading, onMore } = props;
  const { immediate, portfolio, total } = plan;
  if (immediate.component_count === 0)
    return <p class="empty">No components are past their economic replacement age.</p>;
  const due = portfolio.filter((one) => one.immediate.component_count > 0);
  const shown = due
    .toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year)
    .slice(0, PROPERTIES_SHOWN);
  const isPart = total > portfolio.length;
  return (
    <>
      <p class="deposit">
        Due now ({date(plan.as_of)}): <strong>{counted(immediate.component_count, "component")}</strong>,
        planned replacement cost <strong>{money(Math.round(immediate.cost))}</strong>.{" "}
        {shown.length === 0
          ? `None are in the first ${count(portfolio.length)} properties.`
          : `Properties with the highest cost of delay${isPart ? ` (first ${count(portfolio.length)})` : ""}:`}
      </p>
      {shown.length > 0 && (
        <ul class="due-now">
          {shown.map((one) => (
            <li>
              <span>
                <a href={hrefTo(["properties", one.property_id])}>
                  <bdi>{one.name}</bdi>
                </a>{" "}
                <span class="mute small">{counted(one.immediate.component_count, "component")}</span>
              </span>
              <strong class="number">{money(Math.round(one.immediate.cost))}</strong>
              <span class="number mute small">{delayCost(one.cost_of_waiting_a_year)}</span>
            </li>
          ))}
        </ul>
      )}
      <LoadMore loaded={portfolio.length} total={total} isLoading={isLoading} onMore={onMore} />
    </>
  );
}

/** The budget planner for all properties, which asks the API for each amount. */
function PortfolioBudgetPlanner({ all, pages, route }: { all: BudgetedPlan; pages: number; route: Route }) {
  const { api } = useApp();
  const range = sliderRangeUpTo(all.budget.spent);
  const [amount, setAmount] = useState(Math.min(budgetOf(route) ?? range.most, range.most));
  const [asked, setAsked] = useState(amount);
  useEffect(() => {
    if (amount === asked) return;
    const timer = setTimeout(() => {
      setAsked(amount);
      replaceQuery(route, { budget: String(amount) });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [amount, asked, route]);
  // The plan itself was requested with an unlimited budget.
  const isAll = asked >= all.budget.spent;
  const bought = useLoad(isAll ? `all ${all.portfolio.length}` : `${asked} ${pages}`, async () =>
    isAll ? all : await readPlan(api, pages, { budget: String(asked) }),
  );
  const last = useRef(all);
  if (bought.value) last.current = bought.value;
  const isOnItsWay = amount !== asked || bought.isLoading;
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
        Components are selected by savings per dollar until the budget is used. Each new amount uses{" "}
        {counted(pages, "API call")}.
        {all.total > all.portfolio.length &&
          ` The list shows the first ${count(all.portfolio.length)} properties. Totals include all properties.`}
      </p>
      <AmountSlider range={range} amount={amount} onSlide={setAmount} />
      <div class={isOnItsWay ? "budget-request is-pending" : "budget-request"} aria-busy={isOnItsWay}>
        {bought.failure && !isOnItsWay ? (
          <p role="alert">
            {bought.failure.message}{" "}
            <button type="button" class="plain" onClick={bought.reload}>
              Try again
            </button>
          </p>
        ) : (
          <BudgetOutcome
            result={resultOf(all, last.current)}
            amount={Math.min(last.current.budget.amount, range.most)}
          />
        )}
      </div>
    </>
  );
}

/** Compares a plan with a budget to the plan with an unlimited one, by property. */
function resultOf(all: BudgetedPlan, { budget, portfolio }: BudgetedPlan): BudgetResult {
  const shares = new Map(portfolio.map((one) => [one.property_id, one.budget]));
  const none = { chosen_count: 0, spent: 0, avoided: 0 };
  const bought = all.portfolio.map((one) => lineOf(one, shares.get(one.property_id) ?? none));
  const left = all.portfolio.map((one) => {
    const { chosen_count, spent, avoided } = shares.get(one.property_id) ?? none;
    return lineOf(one, {
      chosen_count: one.budget.chosen_count - chosen_count,
      spent: one.budget.spent - spent,
      avoided: one.budget.avoided - avoided,
    });
  });
  const dearest = (lots: BudgetLine[]) =>
    lots.filter(({ count }) => count > 0).sort((a, b) => b.delayCostUsd - a.delayCostUsd);
  return {
    count: budget.chosen_count,
    spentUsd: budget.spent,
    avoidedUsd: budget.avoided,
    remainingUsd: Math.max(all.budget.avoided - budget.avoided, 0),
    included: dearest(bought),
    excluded: dearest(left),
  };
}

const lineOf = (one: BudgetedProperty, share: BudgetedProperty["budget"]): BudgetLine => ({
  name: one.name,
  where: counted(share.chosen_count, "component"),
  address: hrefTo(["properties", one.property_id]),
  count: share.chosen_count,
  costUsd: share.spent,
  delayCostUsd: share.avoided,
});

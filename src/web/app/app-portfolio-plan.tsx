import { useEffect, useRef, useState } from "preact/hooks";
import type { PlannedPropertyJson, PortfolioPlanPageJson } from "../../api-schemas/portfolio-plan-schema.ts";
import { PLAN_LIMITS } from "../../domain/planning/plan-terms.ts";
import { singularCurrencyName } from "../../domain/wording/currency-and-unit-wording.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { pageAssumptionSentences } from "../page/page-assumption-sentences.ts";
import { type BudgetLine, type BudgetResult, pageSliderRangeUpTo } from "../page/page-budget-allocation.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { BudgetSectionAmountSlider, BudgetSectionOutcome } from "../sections/budget-section.tsx";
import { ConditionSectionFigures, pageSectionDueNowHeadline } from "../sections/condition-section.tsx";
import { pageSectionUrgentHazardsOfPortfolio } from "../sections/hazards-section.tsx";
import {
  PlanCostsByYearSection,
  pageSectionDelayCostText,
  pageSectionDueCount,
  pageSectionDueNowCountText,
} from "../sections/plan-section.tsx";
import { ReportSection } from "../sections/section.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { useAppCallCost } from "./app-call-cost.ts";
import { useApp } from "./app-context.ts";
import { budgetInAddress } from "./app-plan-terms.tsx";

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

/** The address of the plan and the properties with the highest cost of delay, by default with an unlimited budget. */
export const portfolioPlanPath = (query: Readonly<Record<string, string>> = {}) =>
  `/v1/portfolio/plan?${new URLSearchParams({
    sort: "waiting",
    limit: String(PROPERTIES_PER_CALL),
    budget: String(PLAN_LIMITS.budgetUsd.most),
    ...query,
  })}`;

/** Loads the portfolio's plan, with the demo property if the app includes it. */
export function useAppPortfolioPlan() {
  const { api, portfolio } = useApp();
  const { includesDemo } = portfolio.state;
  const demo: Readonly<Record<string, string>> = includesDemo ? { include_demo: "true" } : {};
  const plan = useLoad(`plan ${includesDemo}`, () => api.read<BudgetedPlan>(portfolioPlanPath(demo)));
  return { plan, demo };
}

/** The work of the whole portfolio in one sentence and three figures. */
export function AppDueWork({ plan }: { plan: ReturnType<typeof useAppPortfolioPlan>["plan"] }) {
  const { portfolio } = useApp();
  const hazards = pageSectionUrgentHazardsOfPortfolio(portfolio.state.totals?.flags ?? []);
  return (
    <section class="card lead" aria-labelledby="lead">
      <h2 id="lead" class="visually-hidden">
        Recommended actions
      </h2>
      <LoadedContent loaded={plan} what="the plan">
        {(value) => (
          <>
            <p class="headline">{pageSectionDueNowHeadline({ plan: value, hazards })}</p>
            <ConditionSectionFigures plan={value} />
            <p class="small">
              <a href={hrefTo(["actions"], { due: "0" })}>All actions due now, inspections included</a>
            </p>
          </>
        )}
      </LoadedContent>
    </section>
  );
}

/** The plan of the portfolio: the work due by property, the costs by year, the reserve deposit, and the budget planner. */
export function AppPortfolioPlan(props: { route: Route } & ReturnType<typeof useAppPortfolioPlan>) {
  const { plan, demo, route } = props;
  return (
    <ReportSection
      id="plan"
      title="Costs and reserve"
      about="Due work by property, and the costs of all properties by year."
    >
      <LoadedContent loaded={plan} what="the plan">
        {(value) => (
          <>
            <DueByProperty plan={value} />
            <PlanCostsByYearSection
              plan={value}
              links={{ schedule: hrefTo(["schedule"]) }}
              rowPer="property"
            />
            <PortfolioBudgetPlanner all={value} demo={demo} route={route} />
            <p class="small muted rests-on">{pageAssumptionSentences(value.counted_assumptions).join(" ")}</p>
          </>
        )}
      </LoadedContent>
    </ReportSection>
  );
}

function DueByProperty({ plan }: { plan: BudgetedPlan }) {
  const { due_now, portfolio } = plan;
  if (pageSectionDueCount(due_now) === 0) return <p class="empty">No replacement is due now.</p>;
  const shown = portfolio
    .filter((property) => pageSectionDueCount(property.due_now) > 0)
    .toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year)
    .slice(0, PROPERTIES_SHOWN);
  return (
    <>
      <p class="deposit">
        Due now ({formatPageDate(plan.as_of)}) in the properties with the highest cost of delay:
      </p>
      <ul class="due-now">
        {shown.map((property) => (
          <li>
            <span>
              <a href={hrefTo(["properties", property.property_id])}>
                <bdi>{property.name}</bdi>
              </a>{" "}
              <span class="muted small">{pageSectionDueNowCountText(property.due_now)}</span>
            </span>
            <strong class="number">{formatPageMoney(Math.round(property.due_now.cost))}</strong>
            <span class="number muted small">
              {pageSectionDelayCostText(property.cost_of_waiting_a_year)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The budget planner for all properties, which asks the API for each amount. */
function PortfolioBudgetPlanner({
  all,
  demo,
  route,
}: {
  all: BudgetedPlan;
  demo: Readonly<Record<string, string>>;
  route: Route;
}) {
  const { api } = useApp();
  const range = pageSliderRangeUpTo(all.budget.spent);
  const [amount, setAmount] = useState(Math.min(budgetInAddress(route) ?? range.max, range.max));
  const [requested, setRequested] = useState(amount);
  useEffect(() => {
    if (amount === requested) return;
    const timer = setTimeout(() => {
      setRequested(amount);
      replaceBrowserUrlQuery(route, { budget: String(amount) });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [amount, requested, route]);
  // The plan itself was requested with an unlimited budget.
  const isUnlimited = requested >= all.budget.spent;
  const plan = useLoad(isUnlimited ? "all" : String(requested), async () =>
    isUnlimited
      ? all
      : await api.read<BudgetedPlan>(portfolioPlanPath({ ...demo, budget: String(requested) })),
  );
  const cost = useAppCallCost()(1);
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
        Hazards and safety items come first, then what saves the most per {singularCurrencyName()}, until the
        budget is used.{cost && ` Each new amount uses ${cost}.`}
        {all.total > all.portfolio.length &&
          ` The lists name only properties among the ${formatPageWholeNumber(all.portfolio.length)} with the highest cost of delay. Totals include all.`}
      </p>
      <BudgetSectionAmountSlider range={range} amount={amount} onSlide={setAmount} />
      <div class={isPending ? "budget-request is-pending" : "budget-request"} aria-busy={isPending}>
        {plan.failure && !isPending ? (
          <p role="alert">
            {plan.failure.message}{" "}
            <button type="button" class="plain" onClick={plan.reload}>
              Try again
            </button>
          </p>
        ) : (
          <BudgetSectionOutcome
            result={resultOf(all, last.current)}
            amount={Math.min(last.current.budget.amount, range.max)}
          />
        )}
      </div>
    </>
  );
}

type Share = BudgetedProperty["budget"];
const NO_SHARE: Share = { chosen_count: 0, spent: 0, avoided: 0 };
const difference = (one: Share, other: Share): Share => ({
  chosen_count: one.chosen_count - other.chosen_count,
  spent: one.spent - other.spent,
  avoided: one.avoided - other.avoided,
});

/** Compares a plan with a budget to the plan with an unlimited one, by property. */
function resultOf(all: BudgetedPlan, { budget, portfolio }: BudgetedPlan): BudgetResult {
  const shares = new Map(portfolio.map((property) => [property.property_id, property.budget]));
  const shareOf = ({ property_id }: BudgetedProperty) => shares.get(property_id) ?? NO_SHARE;
  return {
    count: budget.chosen_count,
    spentUsd: budget.spent,
    avoidedUsd: budget.avoided,
    remainingUsd: Math.max(all.budget.avoided - budget.avoided, 0),
    included: linesOf(all.portfolio, shareOf, budget),
    excluded: linesOf(
      all.portfolio,
      (property) => difference(property.budget, shareOf(property)),
      difference(all.budget, budget),
    ),
  };
}

/** Returns a line per property, the highest cost of delay first, and one for the rest of the total. */
function linesOf(
  properties: readonly BudgetedProperty[],
  shareOf: (property: BudgetedProperty) => Share,
  total: Share,
): BudgetLine[] {
  const named = properties
    .map((property) => ({ property, share: shareOf(property) }))
    .filter(({ share }) => share.chosen_count > 0)
    .sort((a, b) => b.share.avoided - a.share.avoided);
  const rest = named.reduce((left, { share }) => difference(left, share), total);
  const lines = named.map(({ property, share }) => ({
    ...lineOf(property.name, share),
    address: hrefTo(["properties", property.property_id]),
  }));
  return rest.chosen_count > 0 ? [...lines, lineOf("Other properties", rest)] : lines;
}

const lineOf = (name: string, share: Share): BudgetLine => ({
  name,
  where: formatPageCount(share.chosen_count, "unit or component", "units and components"),
  count: share.chosen_count,
  costUsd: share.spent,
  delayCostUsd: share.avoided,
});

import { useState } from "preact/hooks";
import { currencyName } from "../../domain/wording/currency-and-unit-wording.ts";
import {
  type BudgetCandidates,
  type BudgetLine,
  type BudgetResult,
  pageBudgetAllocation,
  type SliderRange,
  sliderRange,
} from "../page/page-budget-allocation.ts";
import { formatPageCount, formatPageMoney } from "../page/page-format.ts";

const MAX_LINES = 5;
/** The ids of the budget planner on its page, and of the script element with its data. */
export const BUDGET_PLANNER_ID = "budget-planner";
export const BUDGET_DATA_ID = "budget-planner-data";

export type BudgetPlannerProps = { candidates: BudgetCandidates; amount: number };
export type AllocatedBudget = BudgetPlannerProps & { result: BudgetResult };

/** The budget planner as a form that asks the server for another amount. */
export function BudgetSectionForm({ candidates, amount, result }: AllocatedBudget) {
  const { max } = sliderRange(candidates);
  return (
    <>
      <form class="choice amount" method="get" action="#plan">
        <label for="amount">Budget ({currencyName()})</label>
        <input
          id="amount"
          name="budget"
          type="number"
          inputMode="numeric"
          min="0"
          max={max}
          step="1"
          value={amount}
        />
        <button type="submit">Update</button>
      </form>
      <BudgetSectionOutcome result={result} amount={amount} />
    </>
  );
}

/** The budget planner with a slider, computed in the browser. */
export function BudgetSectionSlider({
  candidates,
  amount: initialAmount,
  onSettled,
}: BudgetPlannerProps & SettledHandler) {
  const [amount, setAmount] = useState(initialAmount);
  return (
    <>
      <BudgetSectionAmountSlider
        range={sliderRange(candidates)}
        amount={amount}
        onSlide={setAmount}
        onSettled={onSettled}
      />
      <BudgetSectionOutcome result={pageBudgetAllocation(candidates, amount)} amount={amount} />
    </>
  );
}

type SettledHandler = {
  /** Called with the amount when the slider is released. */
  onSettled?: ((amount: number) => void) | undefined;
};

/** Chooses the amount of a budget. */
export function BudgetSectionAmountSlider(
  props: { range: SliderRange; amount: number; onSlide: (amount: number) => void } & SettledHandler,
) {
  const { range, amount, onSlide, onSettled } = props;
  return (
    <div class="choice amount slides">
      <label for="amount">Budget</label>
      <input
        id="amount"
        type="range"
        min="0"
        max={range.max}
        step={range.step}
        value={amount}
        aria-valuetext={formatPageMoney(amount)}
        onInput={({ currentTarget }) => onSlide(Number(currentTarget.value))}
        onChange={({ currentTarget }) => onSettled?.(Number(currentTarget.value))}
      />
      <output for="amount">{formatPageMoney(amount)}</output>
    </div>
  );
}

/** The replacements that a budget covers and those that it does not, in a sentence, a bar and two lists. */
export function BudgetSectionOutcome({ result, amount }: { result: BudgetResult; amount: number }) {
  const { count: replacements, spentUsd, avoidedUsd, remainingUsd, included, excluded } = result;
  const totalUsd = avoidedUsd + remainingUsd;
  return (
    <>
      <p class="budget-result" aria-live="polite">
        {replacements === 0 ? (
          <>
            <strong>{formatPageMoney(amount)}</strong> covers no replacements. Delaying everything for 12
            months costs a net {formatPageMoney(Math.round(remainingUsd))}.
          </>
        ) : (
          <>
            <strong>{formatPageMoney(amount)}</strong> covers {formatPageCount(replacements, "replacement")} (
            {formatPageMoney(Math.round(spentUsd))}) and avoids {remainingUsd < 0.5 && "all "}
            <strong>{formatPageMoney(Math.round(avoidedUsd))}</strong>
            {remainingUsd < 0.5
              ? " in 12-month delay costs."
              : ` in 12-month delay costs. ${formatPageMoney(Math.round(remainingUsd))} is not avoided.`}
          </>
        )}
      </p>
      <svg class="bar split" width="100%" height="10" aria-hidden="true">
        <rect class="track" width="100%" height="10" rx="5" />
        <rect
          class="fill"
          width={`${((100 * avoidedUsd) / (totalUsd || 1)).toFixed(1)}%`}
          height="10"
          rx="5"
        />
      </svg>
      <div class="budget-lines">
        <BudgetLines
          title="Included"
          lines={included}
          saves="saves"
          empty="The budget is below the lowest replacement cost."
        />
        <BudgetLines
          title="Not included"
          lines={excluded}
          saves="would save"
          empty="Nothing else is worth replacing now."
        />
      </div>
    </>
  );
}

function BudgetLines({
  title,
  lines,
  saves,
  empty,
}: {
  title: string;
  lines: readonly BudgetLine[];
  saves: string;
  empty: string;
}) {
  const rest = lines.slice(MAX_LINES);
  const restCount = rest.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <h4>{title}</h4>
      {lines.length === 0 && <p class="empty">{empty}</p>}
      <ul>
        {lines.slice(0, MAX_LINES).map((line) => (
          <li>
            {line.address === undefined ? (
              <span>
                {line.name}
                {line.count > 1 && ` × ${line.count.toLocaleString("en-US")}`}{" "}
                <span class="muted small">{line.where}</span>
              </span>
            ) : (
              <span>
                <a href={line.address}>
                  <bdi>{line.name}</bdi>
                </a>{" "}
                <span class="muted small">{line.where}</span>
              </span>
            )}
            <span class="number">
              {formatPageMoney(Math.round(line.costUsd))}
              <span class="muted small">
                {" "}
                {saves} {formatPageMoney(Math.round(line.delayCostUsd))}
              </span>
            </span>
          </li>
        ))}
        {rest.length > 0 && (
          <li class="muted">
            <span>
              {restCount.toLocaleString("en-US")} more {restCount === 1 ? "component" : "components"}
            </span>
            <span class="number">
              {formatPageMoney(Math.round(rest.reduce((sum, { costUsd }) => sum + costUsd, 0)))}
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

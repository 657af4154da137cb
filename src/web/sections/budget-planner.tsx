import { useState } from "preact/hooks";
import {
  allocateBudget,
  type BudgetCandidates,
  type BudgetLine,
  type BudgetResult,
  type SliderRange,
  sliderRange,
} from "../budget-planner.ts";
import { counted, money } from "../format.ts";

const MAX_LINES = 5;
/** The ids of the budget planner on its page, and of the script element with its data. */
export const BUDGET_PLANNER_ID = "spending";
export const BUDGET_DATA_ID = "spending-data";

export type BudgetPlannerProps = { candidates: BudgetCandidates; amount: number };
export type AllocatedBudget = BudgetPlannerProps & { result: BudgetResult };

/** The budget planner as a form that asks the server for another amount. */
export function BudgetForm({ candidates: offer, amount, result: bargain }: AllocatedBudget) {
  const { most } = sliderRange(offer);
  return (
    <>
      <form class="choice amount" method="get" action="#plan">
        <label for="amount">Budget (US dollars)</label>
        <input
          id="amount"
          name="budget"
          type="number"
          inputMode="numeric"
          min="0"
          max={most}
          step="1"
          value={amount}
        />
        <button type="submit">Update</button>
      </form>
      <BudgetOutcome bargain={bargain} amount={amount} />
    </>
  );
}

/** The budget planner with a slider, computed in the browser. */
export function BudgetSlider({ candidates: offer, amount: first, onSettled }: BudgetPlannerProps & Settling) {
  const [amount, setAmount] = useState(first);
  return (
    <>
      <AmountSlider range={sliderRange(offer)} amount={amount} onSlide={setAmount} onSettled={onSettled} />
      <BudgetOutcome bargain={allocateBudget(offer, amount)} amount={amount} />
    </>
  );
}

type Settling = {
  /** Called with the amount when the slider is released. */
  onSettled?: ((amount: number) => void) | undefined;
};

export function AmountSlider(
  props: { range: SliderRange; amount: number; onSlide: (amount: number) => void } & Settling,
) {
  const { range, amount, onSlide, onSettled } = props;
  return (
    <div class="choice amount slides">
      <label for="amount">Budget</label>
      <input
        id="amount"
        type="range"
        min="0"
        max={range.most}
        step={range.step}
        value={amount}
        aria-valuetext={money(amount)}
        onInput={({ currentTarget }) => onSlide(Number(currentTarget.value))}
        onChange={({ currentTarget }) => onSettled?.(Number(currentTarget.value))}
      />
      <output for="amount">{money(amount)}</output>
    </div>
  );
}

/** The replacements that a budget covers and those that it does not, in a sentence, a bar and two lists. */
export function BudgetOutcome({ bargain, amount }: { bargain: BudgetResult; amount: number }) {
  const {
    count: parts,
    spentUsd,
    avoidedUsd,
    remainingUsd: leftUsd,
    included: bought,
    excluded: left,
  } = bargain;
  const all = avoidedUsd + leftUsd;
  return (
    <>
      <p class="budget-result" aria-live="polite">
        {parts === 0 ? (
          <>
            <strong>{money(amount)}</strong> covers no replacements. Delaying everything for 12 months costs a
            net {money(Math.round(leftUsd))}.
          </>
        ) : (
          <>
            <strong>{money(amount)}</strong> covers {counted(parts, "replacement")} (
            {money(Math.round(spentUsd))}) and avoids {leftUsd < 0.5 && "all "}
            <strong>{money(Math.round(avoidedUsd))}</strong>
            {leftUsd < 0.5
              ? " in 12-month delay costs."
              : ` of ${money(Math.round(all))} in 12-month delay costs. ${money(Math.round(leftUsd))} remains at risk.`}
          </>
        )}
      </p>
      <svg class="bar split" width="100%" height="10" aria-hidden="true">
        <rect class="track" width="100%" height="10" rx="5" />
        <rect class="fill" width={`${((100 * avoidedUsd) / (all || 1)).toFixed(1)}%`} height="10" rx="5" />
      </svg>
      <div class="budget-lines">
        <BudgetLines
          title="Included"
          lots={bought}
          empty="The budget is below the lowest replacement cost."
        />
        <BudgetLines title="Not included" lots={left} empty="Nothing else is worth replacing now." />
      </div>
    </>
  );
}

function BudgetLines({ title, lots, empty }: { title: string; lots: readonly BudgetLine[]; empty: string }) {
  const rest = lots.slice(MAX_LINES);
  const restCount = rest.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <h4>{title}</h4>
      {lots.length === 0 && <p class="empty">{empty}</p>}
      <ul>
        {lots.slice(0, MAX_LINES).map((lot) => (
          <li>
            {lot.address === undefined ? (
              <span>
                {lot.name}
                {lot.count > 1 && ` × ${lot.count.toLocaleString("en-US")}`}{" "}
                <span class="mute small">{lot.where}</span>
              </span>
            ) : (
              <span>
                <a href={lot.address}>
                  <bdi>{lot.name}</bdi>
                </a>{" "}
                <span class="mute small">{lot.where}</span>
              </span>
            )}
            <span class="number">
              {money(Math.round(lot.costUsd))}
              <span class="mute small"> saves {money(Math.round(lot.delayCostUsd))}</span>
            </span>
          </li>
        ))}
        {rest.length > 0 && (
          <li class="mute">
            <span>
              {restCount.toLocaleString("en-US")} more {restCount === 1 ? "component" : "components"}
            </span>
            <span class="number">
              {money(Math.round(rest.reduce((sum, { costUsd: usd }) => sum + usd, 0)))}
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

import type { PriceList } from "../costs/price-list.ts";
import { WholeUnitCostSums } from "../costs/whole-unit-cost-sums.ts";
import type { Knowledge } from "../domain-knowledge.ts";
import { tierOf } from "../scoring/risk-tier.ts";
import { failureProbabilityWithin, scoredComponentAgedScore } from "../scoring/score-projections.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { DAYS_IN_12_MONTHS } from "../time.ts";
import { type ExpectedCost, ExpectedCostAccumulator } from "./expected-cost.ts";
import { failureCostOf } from "./failure-cost.ts";
import type { AssessedComponent } from "./property-assessment.ts";
import { ScoreBucketSort } from "./score-bucket-sort.ts";

/** The windows of a forecast, in days from the latest score. */
export const FORECAST_DAYS = [30, 60, 90, DAYS_IN_12_MONTHS] as const;

/** A component at least this likely to fail within a window belongs to it, whatever its tier. */
const LIKELY_FAILURE = 0.25;

type ForecastItem<Item> = {
  item: Item;
  /** The probability of failing within the window, given that the component works now. */
  failureProbability: number;
};

export type ForecastWindow<Item> = {
  items: ForecastItem<Item>[];
  /** Planned cost of the items; a whole unit counts once at most. */
  proactiveCents: number;
  /** Cost of the items after failure: all of them failing at once. */
  reactiveCents: number;
  /** The expected cost of the failures of all components within the window. */
  expected: ExpectedCost;
};

/**
 * Collects the components that will need work within `days` (docs/model/figures.md#forecast), the highest score first, then
 * the most likely to fail. A longer window contains every shorter one.
 */
export class ForecastAccumulator<Item> {
  readonly #items = new ScoreBucketSort<ForecastItem<Item>>();
  readonly #sums = new WholeUnitCostSums();
  readonly #expected = new ExpectedCostAccumulator();

  constructor(
    private readonly prices: PriceList,
    private readonly days: number,
  ) {}

  /** Adds the result of `itemOf` if the component belongs to the window; returns whether it does. */
  add(component: AssessedComponent, itemOf: (failureProbability: number) => Item): boolean {
    const { prices, days } = this;
    const { knowledge } = prices;
    const failureProbability = failureProbabilityWithin(knowledge, component, component.brandTier, days);
    const here = prices.ofAppliance(component, component);
    const costs = here.component(component.defId, component);
    const { system } = knowledge.component(component.defId);
    this.#expected.add(failureProbability, failureCostOf(costs, knowledge.lossClass(system)));
    this.#sums.see(component, here);
    if (failureProbability < LIKELY_FAILURE && !isCriticalBy(knowledge, component, days)) return false;
    this.#sums.add(component.applianceId, here, costs);
    this.#items.add(component.riskScore, { item: itemOf(failureProbability), failureProbability });
    return true;
  }

  *window(): Steps<ForecastWindow<Item>> {
    const items = yield* this.#items.list((a, b) => b.failureProbability - a.failureProbability);
    const { expected } = this.#expected;
    const { planned, failed } = this.#sums.sums.first;
    return { items, proactiveCents: planned, reactiveCents: failed, expected };
  }
}

function isCriticalBy(knowledge: Knowledge, component: AssessedComponent, days: number): boolean {
  if (component.riskTier === "CRITICAL") return true;
  return tierOf(scoredComponentAgedScore(knowledge, component, component.brandTier, days)) === "CRITICAL";
}

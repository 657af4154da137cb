import type { Knowledge } from "../knowledge.ts";
import { agedScore, failureWithin } from "../projections.ts";
import { tierOf } from "../scoring/tier.ts";
import type { AssessedComponent } from "./assessment.ts";
import { ScoreBuckets } from "./score-buckets.ts";

/** The windows, in days from the latest scoring, that a forecast looks at. */
export const FORECAST_DAYS = [30, 60, 90] as const;

/** A component as likely as this to fail within a window belongs to it, whatever its tier. */
const LIKELY_FAILURE = 0.25;

type ForecastItem<Item> = {
  item: Item;
  /** The probability of failing within the window, given that it works now: 0 to 1. */
  failureProbability: number;
};

export type ForecastWindow<Item> = {
  items: ForecastItem<Item>[];
  /** Replacing them as planned work. */
  proactiveCents: number;
  /** Letting them fail first. */
  reactiveCents: number;
};

/**
 * Gathers what is going to need work within `days`: components that are CRITICAL or will be by then through ageing
 * alone, and any as likely as a quarter to fail until then (docs/model/figures.md#forecast). A longer window holds all of a shorter
 * one. The highest score first, then the likeliest to fail.
 */
export class ForecastAccumulator<Item> {
  readonly #items = new ScoreBuckets<ForecastItem<Item>>();
  #proactiveCents = 0;
  #reactiveCents = 0;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly days: number,
  ) {}

  /** Whether a component belongs to the window; what `itemOf` makes of it is kept then. */
  add(component: AssessedComponent, itemOf: (failureProbability: number) => Item): boolean {
    const { knowledge, days } = this;
    const failureProbability = failureWithin(knowledge, component, component.brandTier, days);
    if (failureProbability < LIKELY_FAILURE && !isCriticalBy(knowledge, component, days)) return false;
    const def = knowledge.component(component.defId);
    this.#proactiveCents += def.proactiveCents;
    this.#reactiveCents += def.reactiveCents;
    this.#items.add(component.riskScore, { item: itemOf(failureProbability), failureProbability });
    return true;
  }

  window(): ForecastWindow<Item> {
    const items = this.#items.list((a, b) => b.failureProbability - a.failureProbability);
    return { items, proactiveCents: this.#proactiveCents, reactiveCents: this.#reactiveCents };
  }
}

function isCriticalBy(knowledge: Knowledge, component: AssessedComponent, days: number): boolean {
  if (component.riskTier === "CRITICAL") return true;
  return tierOf(agedScore(knowledge, component, component.brandTier, days)) === "CRITICAL";
}

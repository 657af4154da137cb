import type { PriceList } from "../costs/price-list.ts";
import type { System } from "../domain-knowledge.ts";
import { type AssessedComponent, type Assessment, AssessmentAccumulator } from "./property-assessment.ts";

export type SystemValue = { system: System; totals: Assessment };

/**
 * Sums up the replacement cost value by system of the appliance's type, the highest first. Systems add up to the property
 * (docs/model/figures.md#replacement-cost-value).
 */
export class SystemValueAccumulator {
  readonly #systems = new Map<System, AssessmentAccumulator>();

  constructor(private readonly prices: PriceList) {}

  add(component: AssessedComponent): void {
    const { system } = this.prices.knowledge.type(component.typeId);
    let collector = this.#systems.get(system);
    if (!collector) {
      collector = new AssessmentAccumulator(this.prices);
      this.#systems.set(system, collector);
    }
    collector.add(component);
  }

  values(): SystemValue[] {
    return Array.from(this.#systems, ([system, { assessment }]) => ({ system, totals: assessment })).sort(
      (a, b) => b.totals.rcvCents - a.totals.rcvCents || (a.system < b.system ? -1 : 1),
    );
  }
}

/**
 * Returns deferred maintenance as a percentage of the property's value with one decimal, such as `4.2%`; null without a
 * value or with a value of 0.
 */
export function wordingOfDeferredPercent(
  deferredCents: number,
  estimatedValueCents: number | null,
): string | null {
  if (!estimatedValueCents) return null;
  return `${(Math.round((deferredCents * 1000) / estimatedValueCents) / 10).toFixed(1)}%`;
}

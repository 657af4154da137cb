import type { PriceList } from "../costs/price-list.ts";
import { WholeUnitCostSums } from "../costs/whole-unit-cost-sums.ts";
import { failureProbabilityWithin } from "../scoring/score-projections.ts";
import { DAYS_PER_MONTH } from "../time.ts";
import { type AssessedComponent, centsPerUnit } from "./property-assessment.ts";

/** The amounts to set aside, in whole cents. Each is rounded on its own. */
export type Reserve = { perUnitPerMonth: number; perUnitPerYear: number; propertyPerMonth: number };

/** The horizons of a reserve, in months. */
export const RESERVE_MONTHS = [12, 24, 36] as const;
const FULL_REPLACEMENT_MONTHS = 120;

/**
 * Sums up the reserve that pays for the replacements expected within `months` (docs/model/figures.md#reserve): CRITICAL
 * components in full, others by their probability of failing by then, and a whole unit once at most.
 */
export class ReserveAccumulator {
  readonly #sums = new WholeUnitCostSums();

  constructor(
    private readonly prices: PriceList,
    private readonly months: number,
  ) {}

  add(component: AssessedComponent): void {
    const share =
      component.riskTier === "CRITICAL"
        ? 1
        : failureProbabilityWithin(
            this.prices.knowledge,
            component,
            component.brandTier,
            this.months * DAYS_PER_MONTH,
          );
    const here = this.prices.ofAppliance(component, component);
    this.#sums.see(component, here);
    this.#sums.add(component.applianceId, here, here.component(component.defId, component), "first", share);
  }

  reserve(unitCount: number): Reserve {
    return monthly(this.#sums.sums.first.planned / this.months, unitCount);
  }
}

/** Returns the amounts that replace everything once within ten years. */
export function fullReplacementReserve(rcvCents: number, unitCount: number): Reserve {
  return monthly(rcvCents / FULL_REPLACEMENT_MONTHS, unitCount);
}

function monthly(centsPerMonth: number, unitCount: number): Reserve {
  return {
    propertyPerMonth: Math.round(centsPerMonth),
    perUnitPerMonth: centsPerUnit(centsPerMonth, unitCount),
    perUnitPerYear: centsPerUnit(centsPerMonth * 12, unitCount),
  };
}

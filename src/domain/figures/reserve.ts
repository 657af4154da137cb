import type { Knowledge } from "../knowledge.ts";
import { failureWithin } from "../projections.ts";
import { DAYS_PER_MONTH } from "../time.ts";
import { type AssessedComponent, perDoor } from "./assessment.ts";

/** What to set aside, in whole cents. Each amount is rounded by itself, not made from another rounded one. */
export type Reserve = { perUnitPerMonth: number; perUnitPerYear: number; propertyPerMonth: number };

/** The spans, in months, that a reserve is worked out for. */
export const RESERVE_MONTHS = [12, 24, 36] as const;
const FULL_REPLACEMENT_MONTHS = 120;

/**
 * Gathers what to set aside so that the replacements expected within `months` are paid for: critical components in full,
 * which are due now, others by their probability of failing until then (docs/model/figures.md#reserve).
 */
export class ReserveAccumulator {
  #expectedCents = 0;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly months: number,
  ) {}

  add(component: AssessedComponent): void {
    const share =
      component.riskTier === "CRITICAL"
        ? 1
        : failureWithin(this.knowledge, component, component.brandTier, this.months * DAYS_PER_MONTH);
    this.#expectedCents += this.knowledge.component(component.defId).proactiveCents * share;
  }

  reserve(unitCount: number): Reserve {
    return monthly(this.#expectedCents / this.months, unitCount);
  }
}

/** What to set aside to replace everything once within ten years. */
export function fullReplacementReserve(rcvCents: number, unitCount: number): Reserve {
  return monthly(rcvCents / FULL_REPLACEMENT_MONTHS, unitCount);
}

function monthly(centsPerMonth: number, unitCount: number): Reserve {
  return {
    propertyPerMonth: Math.round(centsPerMonth),
    perUnitPerMonth: perDoor(centsPerMonth, unitCount),
    perUnitPerYear: perDoor(centsPerMonth * 12, unitCount),
  };
}

import type { Component } from "../component.ts";
import type { Knowledge } from "../knowledge.ts";
import { failureWithin } from "../projections.ts";
import type { BrandTier } from "../scoring/types.ts";
import { DAYS_PER_MONTH } from "../time.ts";

/** Cents a month. */
export type Reserve = { perUnitPerMonth: number; perUnitPerYear: number; propertyPerMonth: number };

/** A component with the tier of its appliance's brand, which its life depends on. */
export type BrandedComponent = Component & { brandTier: BrandTier };

/** A property's units as figures per door count them: at least one. */
export const doors = (unitCount: number) => Math.max(unitCount, 1);

/**
 * What to set aside so that the replacements expected within `months` are paid for: elevated components in full,
 * others by their probability of failing until then.
 */
export function reserveOver(
  knowledge: Knowledge,
  components: readonly BrandedComponent[],
  unitCount: number,
  months: number,
): Reserve {
  let expectedCents = 0;
  for (const component of components) {
    const { proactiveCents } = knowledge.components.get(component.defId)!;
    const share =
      component.riskTier === "GOOD"
        ? failureWithin(knowledge, component, component.brandTier, months * DAYS_PER_MONTH)
        : 1;
    expectedCents += proactiveCents * share;
  }
  return monthly(expectedCents / months, unitCount);
}

/** The figures of a monthly amount, each in whole cents. */
export function monthly(centsPerMonth: number, unitCount: number): Reserve {
  const units = doors(unitCount);
  return {
    propertyPerMonth: Math.round(centsPerMonth),
    perUnitPerMonth: Math.round(centsPerMonth / units),
    perUnitPerYear: Math.round((centsPerMonth * 12) / units),
  };
}

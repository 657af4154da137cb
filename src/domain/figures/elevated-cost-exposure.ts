import type { Assessment } from "./property-assessment.ts";

/** The cost of elevated components, CRITICAL and WARNING, in cents. */
type Exposure = {
  /** Planned cost: `total_deferred_maintenance`, `total_deferred`. */
  deferredCents: number;
  /** Cost after failure: `total_reactive_exposure`, `total_reactive`. */
  reactiveCents: number;
  /** The saving of acting before they fail. */
  savingsCents: number;
};

type Costs = Pick<
  Assessment,
  "criticalProactiveCents" | "warningProactiveCents" | "criticalReactiveCents" | "warningReactiveCents"
>;

/** Returns the cost of the elevated components, planned and after failure (docs/model/figures.md#exposure). */
export function elevatedCostExposureOf(costs: Costs): Exposure {
  const deferredCents = costs.criticalProactiveCents + costs.warningProactiveCents;
  const reactiveCents = costs.criticalReactiveCents + costs.warningReactiveCents;
  return { deferredCents, reactiveCents, savingsCents: reactiveCents - deferredCents };
}

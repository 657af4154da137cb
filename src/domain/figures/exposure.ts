import type { Assessment } from "./assessment.ts";

/** What CRITICAL and WARNING components cost, in cents. */
type Exposure = {
  /** Replacing them all as planned work: total_deferred_maintenance, total_deferred. */
  deferredCents: number;
  /** Letting them all fail first: total_reactive_exposure, total_reactive. */
  reactiveCents: number;
  /** What acting before they fail saves. */
  savingsCents: number;
};

type Costs = Pick<
  Assessment,
  "criticalProactiveCents" | "warningProactiveCents" | "criticalReactiveCents" | "warningReactiveCents"
>;

/** The cost of the elevated components, planned and after failure (docs/model/figures.md#exposure). */
export function exposureOf(costs: Costs): Exposure {
  const deferredCents = costs.criticalProactiveCents + costs.warningProactiveCents;
  const reactiveCents = costs.criticalReactiveCents + costs.warningReactiveCents;
  return { deferredCents, reactiveCents, savingsCents: reactiveCents - deferredCents };
}

import { type ComponentCosts, exactFailedCents } from "../costs/component-costs.ts";
import type { LossClass } from "../domain-knowledge.ts";

/** The cost of one failure, in cents and cents squared: the moments of the emergency replacement and a possible damage. */
export type FailureCost = { mean: number; meanSquare: number };

/**
 * Returns the cost of a failure of a component (docs/model/figures.md#expected-cost). A damage is log-normal. A failure does
 * one damage at most, or a Poisson number of them in a type that is a part of the building.
 */
export function failureCostOf(costs: ComponentCosts, { damageVariation }: LossClass): FailureCost {
  const { emergencyCents: emergency, damage } = costs;
  if (!damage) return { mean: emergency, meanSquare: emergency ** 2 };
  const expected = damage.expected * damage.cents;
  const ofSeveral = damage.isPoisson ? expected ** 2 : 0;
  return {
    mean: exactFailedCents(costs),
    meanSquare:
      emergency ** 2 +
      2 * emergency * expected +
      expected * damage.cents * (1 + damageVariation ** 2) +
      ofSeveral,
  };
}

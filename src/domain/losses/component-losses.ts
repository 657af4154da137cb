import type { ComponentCosts } from "../costs/component-costs.ts";
import type { Knowledge } from "../knowledge.ts";
import { failureProbabilityWithin, type StoredOutlook } from "../projections.ts";
import type { BrandTier } from "../scoring/types.ts";
import type { LossPart } from "./loss-part.ts";

/** The days that a year of losses has. */
export const YEAR_DAYS = 365;

/** The costs of a component that its losses follow from. */
export type LossCosts = Pick<ComponentCosts, "emergencyCents" | "damage">;

/** Returns a stored component as a part of a book. */
export function lossPartOf(
  knowledge: Knowledge,
  component: StoredOutlook & { brandTier: BrandTier; propertyId: string; state: string },
  { emergencyCents, damage }: LossCosts,
): LossPart {
  const { defId, brandTier, propertyId, state } = component;
  const { system } = knowledge.component(defId);
  const { damageVariation } = knowledge.lossClass(system);
  return {
    failureProbability: failureProbabilityWithin(knowledge, component, brandTier, YEAR_DAYS),
    repair: emergencyCents,
    damage: damage && {
      severity: {
        peril: damage.peril,
        mean: damage.cents,
        variation: damageVariation,
        isPoisson: damage.isPoisson,
      },
      frequency: damage.expected,
    },
    system,
    state,
    division: knowledge.division(state),
    propertyId,
    kind: defId,
  };
}

import type { ComponentCosts } from "../costs/component-costs.ts";
import type { Knowledge } from "../domain-knowledge.ts";
import { failureProbabilityWithin, type StoredOutlook } from "../scoring/score-projections.ts";
import type { BrandTier } from "../scoring/scoring-types.ts";
import { DAYS_IN_12_MONTHS } from "../time.ts";
import type { LossComponent, LossKind } from "./loss-component.ts";
import { type InsuredLayer, insuredMoments } from "./loss-severity.ts";

/** The costs of a component that its losses follow from. */
export type LossCosts = Pick<ComponentCosts, "emergencyCents" | "damage">;

/** Returns what a component is expected to cost in the year, in cents (docs/model/losses.md#exact). */
export function expectedLossesOf(component: LossComponent, layer: InsuredLayer): Record<LossKind, number> {
  const { failureProbability, repair, damage } = component;
  const ofDamages = damage ? failureProbability * damage.frequency : 0;
  const ofDamage = damage ? ofDamages * damage.severity.mean : 0;
  return {
    total: failureProbability * repair + ofDamage,
    damage: ofDamage,
    insured: damage ? ofDamages * insuredMoments(damage.severity, layer).mean : 0,
  };
}

/** Returns a stored component as the losses of a book see it. */
export function asLossComponent(
  knowledge: Knowledge,
  component: StoredOutlook & { brandTier: BrandTier; propertyId: string; state: string },
  { emergencyCents, damage }: LossCosts,
): LossComponent {
  const { defId, brandTier, propertyId, state } = component;
  const { system } = knowledge.component(defId);
  const { damageVariation } = knowledge.lossClass(system);
  return {
    failureProbability: failureProbabilityWithin(knowledge, component, brandTier, DAYS_IN_12_MONTHS),
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

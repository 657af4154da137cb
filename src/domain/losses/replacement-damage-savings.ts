import type { Knowledge } from "../domain-knowledge.ts";
import { failureProbability } from "../scoring/outlook.ts";
import {
  failureProbabilityWithin,
  type StoredOutlook,
  scoredComponentOutlook,
} from "../scoring/score-projections.ts";
import type { BrandTier } from "../scoring/scoring-types.ts";
import { DAYS_IN_12_MONTHS } from "../time.ts";
import type { LossCosts } from "./component-losses.ts";

/**
 * Returns the expected damage of the coming year, in cents, that replacing the component now saves: a new one of the same kind,
 * without evidence against it, fails less often.
 */
export function damageSavedByReplacement(
  knowledge: Knowledge,
  component: StoredOutlook & { brandTier: BrandTier },
  { damage }: Pick<LossCosts, "damage">,
): number {
  if (!damage) return 0;
  const now = failureProbabilityWithin(knowledge, component, component.brandTier, DAYS_IN_12_MONTHS);
  const renewed = {
    ...scoredComponentOutlook(knowledge, component, component.brandTier),
    effectiveAgeYears: 0,
    hazardRatio: 1,
    acuteHazard: 0,
  };
  const fresh = failureProbability(renewed, DAYS_IN_12_MONTHS, knowledge.model);
  return Math.max(now - fresh, 0) * damage.expected * damage.cents;
}

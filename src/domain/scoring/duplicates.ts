import type { Corrections } from "./corrections.ts";
import type { ApplianceHistory } from "./types.ts";

/**
 * By id, the appliance that stands for each of these: of those without a history that are equal in all that scoring
 * reads, the first, since their scores without cascade are the same on any day; else itself.
 */
export function representatives<A extends ApplianceHistory>(
  appliances: readonly A[],
  { frailties }: Pick<Corrections, "frailties">,
): Map<string, A> {
  const firsts = new Map<string, A>();
  const standing = new Map<string, A>();
  for (const appliance of appliances) {
    const { id, events, smartEvents } = appliance;
    if (events.length > 0 || smartEvents.length > 0) {
      standing.set(id, appliance);
      continue;
    }
    const key = keyOf(appliance, frailties.get(id));
    const first = firsts.get(key) ?? appliance;
    firsts.set(key, first);
    standing.set(id, first);
  }
  return standing;
}

function keyOf(appliance: ApplianceHistory, frailty: number | undefined): string {
  const { typeId, brand, model, brandTier, installYear, usageIntensity, components } = appliance;
  const parts = components.map(({ defId, installYear, lastReplaced, overrideLifespan }) => [
    ...[defId, installYear, lastReplaced, overrideLifespan],
  ]);
  return JSON.stringify([
    typeId,
    brand,
    model,
    brandTier,
    installYear,
    usageIntensity,
    frailty ?? null,
    parts,
  ]);
}

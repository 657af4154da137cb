import type { ModelCorrections } from "./score-model-corrections.ts";
import type { ApplianceHistory } from "./scoring-types.ts";

/**
 * Returns, by id, the appliance whose scores without cascades each of these shares. Appliances without a history that
 * are equal to scoring share those of the first; any other has its own.
 */
export function appliancesByEqualScoringInputs<A extends ApplianceHistory>(
  appliances: readonly A[],
  { frailties }: Pick<ModelCorrections, "frailties">,
): Map<string, A> {
  const firsts = new Map<string, A>();
  const byId = new Map<string, A>();
  for (const appliance of appliances) {
    const { id, events, smartEvents } = appliance;
    if (events.length > 0 || smartEvents.length > 0) {
      byId.set(id, appliance);
      continue;
    }
    const key = keyOf(appliance, frailties.get(id));
    const first = firsts.get(key) ?? appliance;
    firsts.set(key, first);
    byId.set(id, first);
  }
  return byId;
}

function keyOf(appliance: ApplianceHistory, frailty: number | undefined): string {
  const { typeId, brand, model, brandTier, installYear, installYearBasis, usageIntensity, components } =
    appliance;
  const parts = components.map(
    ({ defId, installYear, installYearGiven, lastReplaced, overrideLifespan, past }) => [
      defId,
      installYear,
      installYearGiven,
      lastReplaced,
      overrideLifespan,
      past,
    ],
  );
  return JSON.stringify([
    typeId,
    brand,
    model,
    brandTier,
    installYear,
    installYearBasis,
    usageIntensity,
    frailty ?? null,
    parts,
  ]);
}

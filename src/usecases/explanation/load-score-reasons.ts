import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { explainScorePartsInSteps } from "../../domain/explanation/explanation.ts";
import { mainReasonsOf, type Reason } from "../../domain/explanation/score-reasons.ts";
import type { Property } from "../../domain/property.ts";
import { isScoredByCascade } from "../../domain/scoring/score-cascades-across-types.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { loadModelCorrections } from "../calibration/load-active-model.ts";
import { loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import { rescoredUpstreamAppliances } from "../rescoring/rescore.ts";

/**
 * Returns the main reasons for the scores of some components of a property, by their IDs, each as of the day of its
 * score. Retired ones have none. Reads all appliances of the property where those of other types affect these.
 */
export async function loadScoreReasons(
  read: Stores,
  knowledge: Knowledge,
  property: Property,
  components: readonly PlacedComponent[],
  yieldNow: Yield,
): Promise<Map<string, Reason[]>> {
  const reasons = new Map<string, Reason[]>();
  if (components.length === 0) return reasons;
  const ids = new Set(components.map(({ applianceId }) => applianceId));
  const isReached = components.some(({ typeId }) => isScoredByCascade(knowledge, typeId));
  const all = isReached
    ? await loadAppliancesOfHistory(read, property.id, yieldNow)
    : (await read.appliances.ofIds(property.partnerId, [...ids])).filter(
        // It may have been retired or moved since its components were read.
        ({ seq, propertyId }) => seq > 0 && propertyId === property.id,
      );
  const targets = all.filter(({ id }) => ids.has(id));
  const units = new Set(targets.map(({ unitId }) => unitId));
  const upstream = rescoredUpstreamAppliances(knowledge, targets, all).filter(
    ({ id, unitId }) => !ids.has(id) && (unitId === null || units.has(unitId)),
  );
  const days = [...new Set(components.map(({ scoredOn }) => scoredOn))];
  const appliances = [...targets, ...upstream];
  const loaded = await loadHistories(read, knowledge, [property], appliances, days, undefined, yieldNow);
  const { history } = loaded.get(property.id)!;
  const corrections = await loadModelCorrections(read, knowledge, history.appliances);
  for (const { id, applianceId, scoredOn } of components) {
    const target = { applianceId, componentId: id };
    // Retired, or of the type that its appliance had before.
    const appliance = history.appliances.find((one) => one.id === applianceId);
    if (!appliance?.components.some((one) => one.id === id)) continue;
    const steps = explainScorePartsInSteps(knowledge, history, target, scoredOn, corrections);
    reasons.set(id, mainReasonsOf(await runYielding(steps, yieldNow)));
  }
  return reasons;
}

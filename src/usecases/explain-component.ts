import { type ExplainedComponent, explainScore } from "../domain/explanation/explanation.ts";
import { CHANGES, type ChangeName, scoreAfter } from "../domain/explanation/what-if.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Score } from "../domain/scoring/types.ts";
import type { Store } from "../store/store.ts";
import { loadHistories } from "./histories.ts";
import { correctionsOf, modelVersionOf } from "./model-in-use.ts";
import { upstreamOf } from "./rescore.ts";
import { appliancesForScoring } from "./scored-appliances.ts";
import { type Pause, takeTurns } from "./walk.ts";

/** Explains any partner's component, for the operator alone; undefined for an unknown id. */
export async function explainComponent(
  { read }: Pick<Store, "read">,
  knowledge: Knowledge,
  id: string,
  pause: Pause = takeTurns,
): Promise<ExplainedComponent | undefined> {
  const owner = await read.components.ownerOf(id);
  if (owner === undefined) return undefined;
  const component = (await read.components.find(owner, id))!;
  const { propertyId, applianceId, scoredOn } = component;
  const property = (await read.properties.find(owner, propertyId))!;
  const all = await appliancesForScoring(read, propertyId);
  const appliance = all.find((one) => one.id === applianceId)!;
  const upstream = upstreamOf(knowledge, [appliance], all).filter(
    (one) => one.id !== applianceId && (one.unitId === null || one.unitId === appliance.unitId),
  );
  const loaded = await loadHistories(read, knowledge, [property], [appliance, ...upstream], scoredOn);
  const { history } = loaded.get(propertyId)!;
  const corrections = await correctionsOf(read, knowledge, history.appliances);
  const target = { applianceId, componentId: id };
  const explanation = explainScore(knowledge, history, target, scoredOn, corrections);
  const changes: { change: ChangeName; score: Score }[] = [];
  for (const change of Object.keys(CHANGES) as ChangeName[]) {
    await pause();
    const score = scoreAfter(knowledge, history, target, change, scoredOn, corrections);
    changes.push({ change, score });
  }
  const modelVersion = await modelVersionOf(read, knowledge);
  return { component, modelVersion, explanation, corrections, changes };
}

import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { type ExplainedComponent, explainScore } from "../../domain/explanation/explanation.ts";
import type { Plannable } from "../../domain/planning/component-plan.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import type { PlanContext } from "../../domain/planning/planned-appliance.ts";
import { checkComponentNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import type { Score } from "../../domain/scoring/scoring-types.ts";
import { CHANGES, type ChangeName, whatIfScore } from "../../domain/scoring/what-if-score.ts";
import { type Yield, yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";
import { loadActiveModelVersion, loadModelCorrections } from "../calibration/load-active-model.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import { rescoredUpstreamAppliances } from "../rescoring/rescore.ts";

/** Explains any partner's component, for operators only; undefined for an unknown id. Throws conflict for a retired one. */
export async function loadComponentExplanation(
  { read }: Pick<Store, "read">,
  knowledge: Knowledge,
  id: string,
  yieldNow: Yield = yieldToEventLoop,
): Promise<ExplainedComponent | undefined> {
  const owner = await read.components.ownerOf(id);
  if (owner === undefined) return undefined;
  const component = (await read.components.find(owner, id))!;
  checkComponentNotRetiredRule(component);
  const { propertyId, applianceId, scoredOn } = component;
  const property = (await read.properties.find(owner, propertyId))!;
  const all = await loadAppliancesOfHistory(read, propertyId, yieldNow);
  const appliance = all.find((scoredAppliance) => scoredAppliance.id === applianceId)!;
  const upstream = rescoredUpstreamAppliances(knowledge, [appliance], all).filter(
    (scoredAppliance) =>
      scoredAppliance.id !== applianceId &&
      (scoredAppliance.unitId === null || scoredAppliance.unitId === appliance.unitId),
  );
  const loaded = await loadHistories(
    read,
    knowledge,
    [property],
    [appliance, ...upstream],
    scoredOn,
    undefined,
    yieldNow,
  );
  const { history } = loaded.get(propertyId)!;
  const corrections = await loadModelCorrections(read, knowledge, history.appliances);
  const target = { applianceId, componentId: id };
  const prices = await loadCurrentPartnerPrices(read, knowledge, owner);
  const stored = new Map((await read.components.rowsOfAppliances([applianceId])).map((row) => [row.id, row]));
  const planning = planningOf(
    planContextOfPrices<PlacedComponent>(prices),
    (component) => stored.get(component.id)!,
  );
  const explanation = explainScore(knowledge, history, target, scoredOn, corrections, planning);
  const changes: { change: ChangeName; score: Score }[] = [];
  for (const change of Object.keys(CHANGES) as ChangeName[]) {
    await yieldNow();
    const score = whatIfScore(knowledge, history, target, change, scoredOn, corrections);
    changes.push({ change, score });
  }
  const modelVersion = await loadActiveModelVersion(read, knowledge);
  const costs = prices.ofComponent(component);
  return { component, modelVersion, costs, explanation, corrections, changes };
}

/** Returns the context for components as scored again, whose place, own numbers and hazards are those stored. */
function planningOf<C>(
  { knowledge, caches, pricing, hazardOf }: PlanContext<C>,
  storedOf: (component: Plannable) => C,
): PlanContext<Plannable> {
  return {
    knowledge,
    caches,
    pricing: (component) => {
      const { part, unit } = pricing(storedOf(component));
      return {
        part: (component) => part(storedOf(component)),
        unit: (principal) => unit(principal && storedOf(principal)),
      };
    },
    hazardOf: (component) => hazardOf(storedOf(component)),
  };
}

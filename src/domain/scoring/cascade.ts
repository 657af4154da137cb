import type { Cascade, Knowledge } from "../knowledge.ts";
import { enter, type Trail } from "./evidence.ts";
import { clamp } from "./ratios.ts";

/** An appliance whose components have been scored without cascade. */
export type ScoredAppliance = {
  typeId: string;
  unitId: string | null;
  /** Unrounded scores without cascade, by component definition. */
  standalone: ReadonlyMap<string, number>;
};

/**
 * Product of the hazard ratios of upstream components in bad state: on the same appliance, or for a rule across
 * types on one that serves the same unit or the whole property. One pass over scores without cascade.
 */
export function cascadeRatio(
  knowledge: Knowledge,
  defId: string,
  appliance: ScoredAppliance,
  byType: ReadonlyMap<string, readonly ScoredAppliance[]>,
  trail: Trail,
): number {
  let product = 1;
  for (const rule of knowledge.cascadesTo(defId))
    for (const upstream of upstreamScores(rule, appliance, byType))
      product *= enter(trail, "cascade", rule.upstream, null, ratioAt(knowledge, rule, upstream));
  return Math.min(product, knowledge.model.cascade.highestProduct);
}

function upstreamScores(
  rule: Cascade,
  appliance: ScoredAppliance,
  byType: ReadonlyMap<string, readonly ScoredAppliance[]>,
): number[] {
  const sources = rule.acrossTypes ? (byType.get(rule.upstreamTypeId) ?? []) : [appliance];
  const scores: number[] = [];
  for (const source of sources) {
    if (rule.acrossTypes && source.unitId !== null && source.unitId !== appliance.unitId) continue;
    const score = source.standalone.get(rule.upstream);
    if (score !== undefined) scores.push(score);
  }
  // Multiplying in one order keeps the last bit free of the order in which appliances were read.
  return scores.length < 2 ? scores : scores.sort((a, b) => a - b);
}

/** The rule's ratio, from 1 just where the upstream score turns bad to its full strength. */
function ratioAt({ model }: Knowledge, rule: Cascade, score: number): number {
  const { fromScore, fullAfter } = model.cascade;
  return 1 + (rule.ratio - 1) * clamp((score - fromScore) / fullAfter, 0, 1);
}

import type { Cascade, Knowledge, ScoringModel } from "../knowledge.ts";
import type { Trail } from "./evidence.ts";
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
    for (const upstream of upstreamScores(rule, appliance, byType)) {
      const ratio = ratioAt(knowledge, rule, upstream);
      if (trail && ratio !== 1)
        trail.push({ kind: "cascade", subject: rule.upstream, on: null, ratio, upstreamScore: upstream });
      product *= ratio;
    }
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
  return 1 + (rule.ratio - 1) * cascadeShare(score, model);
}

/** How much of a rule's ratio an upstream score brings to bear: from 0 just where it turns bad to 1. */
export function cascadeShare(score: number, { cascade }: ScoringModel): number {
  return clamp((score - cascade.fromScore) / cascade.fullAfter, 0, 1);
}

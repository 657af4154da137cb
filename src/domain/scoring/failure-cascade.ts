import type { Cascade, Knowledge, ScoringModel } from "../domain-knowledge.ts";
import { clamp } from "./hazard-ratios.ts";
import type { EvidenceTrail } from "./score-evidence.ts";

/** An appliance as a source of cascades. */
export type CascadeSource = {
  typeId: string;
  unitId: string | null;
  /** Unrounded scores of the components that cascade, each by its own evidence, by component definition. */
  upstreamScores: ReadonlyMap<string, number>;
};

/** The effect of a rule's upstream components: each one, and the product of their ratios. */
type Effect = { upstream: readonly { score: number; ratio: number }[]; product: number };

/**
 * The cascades of a property (docs/model/scoring.md#cascades). Effects across appliance types are computed once per rule
 * and unit, however many components they reach.
 */
export class CascadeEffects {
  readonly #byType: ReadonlyMap<string, readonly CascadeSource[]>;
  /** By rule, then by unit; null for appliances that serve the whole property. */
  readonly #across = new Map<Cascade, Map<string | null, Effect>>();

  constructor(
    private readonly knowledge: Knowledge,
    appliances: readonly CascadeSource[],
  ) {
    this.#byType = Map.groupBy(appliances, (appliance) => appliance.typeId);
  }

  /**
   * Returns the product of the hazard ratios that upstream components put on a component of the appliance, within its
   * limit. Appends each to `trail`.
   */
  ratio(defId: string, appliance: CascadeSource, trail: EvidenceTrail): number {
    const { knowledge } = this;
    let product = 1;
    for (const rule of knowledge.cascadesTo(defId))
      for (const effect of rule.acrossTypes
        ? this.#acrossTypes(rule, appliance.unitId)
        : [this.#within(rule, appliance)]) {
        product *= effect.product;
        if (trail)
          for (const { score, ratio } of effect.upstream)
            if (ratio !== 1)
              trail.push({ kind: "cascade", subject: rule.upstream, on: null, ratio, upstreamScore: score });
      }
    return Math.min(product, knowledge.model.cascade.highestProduct);
  }

  #within(rule: Cascade, appliance: CascadeSource): Effect {
    const score = appliance.upstreamScores.get(rule.upstream);
    return effectOf(this.knowledge, rule, score === undefined ? [] : [score]);
  }

  /** Returns the effects of appliances that serve the whole property, and of those that serve the unit. */
  #acrossTypes(rule: Cascade, unitId: string | null): Effect[] {
    let units = this.#across.get(rule);
    if (!units) {
      units = this.#gather(rule);
      this.#across.set(rule, units);
    }
    const serving = unitId === null ? [null] : [null, unitId];
    return serving.flatMap((unit) => units.get(unit) ?? []);
  }

  #gather(rule: Cascade): Map<string | null, Effect> {
    const scores = new Map<string | null, number[]>();
    for (const { unitId, upstreamScores: ofAppliance } of this.#byType.get(rule.upstreamTypeId) ?? []) {
      const score = ofAppliance.get(rule.upstream);
      if (score === undefined) continue;
      const ofUnit = scores.get(unitId);
      if (ofUnit) ofUnit.push(score);
      else scores.set(unitId, [score]);
    }
    return new Map(Array.from(scores, ([unitId, some]) => [unitId, effectOf(this.knowledge, rule, some)]));
  }
}

/** Multiplies in the order of scores, so that the result is independent of the order of appliances to the last bit. */
function effectOf(knowledge: Knowledge, rule: Cascade, scores: number[]): Effect {
  const upstream = scores
    .sort((a, b) => a - b)
    .map((score) => ({ score, ratio: ratioAt(knowledge, rule, score) }));
  let product = 1;
  for (const { ratio } of upstream) product *= ratio;
  return { upstream, product };
}

/** Returns a rule's ratio at an upstream score. */
function ratioAt({ model }: Knowledge, rule: Cascade, score: number): number {
  return 1 + (rule.ratio - 1) * cascadeEffectShare(score, model);
}

/** Returns the share of a rule's effect at an upstream score: 0 up to `fromScore`, rising to 1. */
export function cascadeEffectShare(score: number, { cascade }: ScoringModel): number {
  return clamp((score - cascade.fromScore) / cascade.fullAfter, 0, 1);
}

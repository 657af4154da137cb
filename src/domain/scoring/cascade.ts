import type { Cascade, Knowledge, ScoringModel } from "../knowledge.ts";
import type { Trail } from "./evidence.ts";
import { clamp } from "./ratios.ts";

/** An appliance whose components have been scored without cascade. */
export type CascadeSource = {
  typeId: string;
  unitId: string | null;
  /** Unrounded scores without cascade, by component definition. */
  standaloneScores: ReadonlyMap<string, number>;
};

/** The effect of a rule's upstream components: each for an explanation, and the product of their ratios. */
type Effect = { upstream: readonly { score: number; ratio: number }[]; product: number };

/**
 * What the components of a property carry on to others: of an appliance, or for a rule across types of all that serve
 * the same unit or the whole property. These are gathered once for each rule and unit, however many they reach.
 */
export class CascadeEffects {
  readonly #byType: ReadonlyMap<string, readonly CascadeSource[]>;
  /** By rule and then by unit. */
  readonly #across = new Map<Cascade, Map<string | null, Effect>>();

  constructor(
    private readonly knowledge: Knowledge,
    appliances: readonly CascadeSource[],
  ) {
    this.#byType = Map.groupBy(appliances, (appliance) => appliance.typeId);
  }

  /**
   * Product of the hazard ratios of upstream components in bad state, for a component of the appliance. One pass over
   * scores without cascade.
   */
  ratio(defId: string, appliance: CascadeSource, trail: Trail): number {
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
    const score = appliance.standaloneScores.get(rule.upstream);
    return effectOf(this.knowledge, rule, score === undefined ? [] : [score]);
  }

  /** Of what serves the whole property, and of what serves the unit. */
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
    for (const { unitId, standaloneScores: standalone } of this.#byType.get(rule.upstreamTypeId) ?? []) {
      const score = standalone.get(rule.upstream);
      if (score === undefined) continue;
      const ofUnit = scores.get(unitId);
      if (ofUnit) ofUnit.push(score);
      else scores.set(unitId, [score]);
    }
    return new Map(Array.from(scores, ([unitId, some]) => [unitId, effectOf(this.knowledge, rule, some)]));
  }
}

/** Multiplying in one order keeps the last bit free of the order in which appliances were read. */
function effectOf(knowledge: Knowledge, rule: Cascade, scores: number[]): Effect {
  const upstream = scores
    .sort((a, b) => a - b)
    .map((score) => ({ score, ratio: ratioAt(knowledge, rule, score) }));
  let product = 1;
  for (const { ratio } of upstream) product *= ratio;
  return { upstream, product };
}

/** The rule's ratio, from 1 just where the upstream score turns bad to its full strength. */
function ratioAt({ model }: Knowledge, rule: Cascade, score: number): number {
  return 1 + (rule.ratio - 1) * cascadeShare(score, model);
}

/** How much of a rule's ratio an upstream score brings to bear: from 0 just where it turns bad to 1. */
export function cascadeShare(score: number, { cascade }: ScoringModel): number {
  return clamp((score - cascade.fromScore) / cascade.fullAfter, 0, 1);
}

import type { ComponentDef, Knowledge } from "../knowledge.ts";

/** The cost of one failure, in cents and cents squared: the moments of the emergency replacement and a possible damage. */
export type FailureCost = { mean: number; meanSquare: number };

/**
 * Returns the cost of a failure of the component (docs/model/figures.md#expected-cost). A damage is log-normal. A failure
 * does one damage at most, or a Poisson number of them in a type that is a part of the building. The failure of a principal
 * part is that of its whole unit.
 */
export function failureCostOf(knowledge: Knowledge, def: ComponentDef): FailureCost {
  const { size, whole } = knowledge.type(def.typeId);
  const emergency = whole?.principal?.defId === def.id ? whole.principal.emergencyCents : def.emergencyCents;
  if (!def.damage) return { mean: emergency, meanSquare: emergency ** 2 };
  const { probability, cents } = def.damage;
  const damage = probability * cents;
  const { damageVariation } = knowledge.lossClass(def.system);
  const ofSeveral = size !== null && size.defaultsTo !== null ? damage ** 2 : 0;
  return {
    mean: emergency + damage,
    meanSquare:
      emergency ** 2 + 2 * emergency * damage + damage * cents * (1 + damageVariation ** 2) + ofSeveral,
  };
}

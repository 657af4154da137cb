import type { Knowledge } from "../knowledge.ts";
import type { RiskTier } from "../scoring/types.ts";
import { type AssessedComponent, type Assessment, assess } from "./assessment.ts";

/** A property's components by kind of appliance and by tier. */
export type Report<C> = {
  totals: Assessment;
  /** By appliance type, in the order in which the property came to have them. */
  categories: ReadonlyMap<string, Assessment>;
  /** The highest score first. */
  byTier: Record<RiskTier, C[]>;
};

/** The assessment of a property in full (`scoring.md` §6). Components are given in the order of their creation. */
export function reportOn<C extends AssessedComponent>(
  knowledge: Knowledge,
  components: readonly C[],
): Report<C> {
  const categories = new Map<string, Assessment>();
  for (const [typeId, group] of Map.groupBy(components, (component) => component.typeId))
    categories.set(typeId, assess(knowledge, group));
  const byTier: Report<C>["byTier"] = { CRITICAL: [], WARNING: [], GOOD: [] };
  for (const component of components) byTier[component.riskTier].push(component);
  for (const tier of Object.values(byTier)) tier.sort((a, b) => b.riskScore - a.riskScore);
  return { totals: assess(knowledge, components), categories, byTier };
}

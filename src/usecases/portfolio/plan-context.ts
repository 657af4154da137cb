import { LRUCache } from "lru-cache";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Plannable } from "../../domain/planning/component-plan.ts";
import type { KnownPart } from "../../domain/planning/known-part.ts";
import type { PlanCaches } from "../../domain/planning/plan.ts";
import type { PlanContext } from "../../domain/planning/planned-appliance.ts";
import { referencePricing } from "../../domain/planning/prices.ts";
import type { NewUnit } from "../../domain/planning/unit-policy.ts";

/** New parts and units, which depend on kind, life and costs alone: about 15 KB each. */
export const planCaches = {
  parts: new LRUCache<string, KnownPart>({ max: 2000 }),
  units: new LRUCache<string, NewUnit>({ max: 500 }),
} satisfies PlanCaches;

/** Returns what plans need beside the components. */
export function planContextOf<C extends Plannable>(knowledge: Knowledge): PlanContext<C> {
  return {
    knowledge,
    pricing: referencePricing(knowledge),
    caches: planCaches,
    hazardOf: () => null,
  };
}

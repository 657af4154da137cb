import type { PricedComponent, PriceList } from "../costs/price-list.ts";
import type { Knowledge } from "../domain-knowledge.ts";
import {
  type HazardFlag,
  hazardFlagAction,
  hazardFlagLabel,
  hazardFlagsOfNotation,
} from "../hazards/hazard-flags.ts";
import type { ImmediateHazard } from "./action.ts";
import { pricingAtPlace } from "./appliance-pricing.ts";
import type { DueComponent } from "./component-plan.ts";
import { cacheOfNewParts } from "./new-part.ts";
import { computedNewUnits, type PlanCaches } from "./plan.ts";
import type { PlanContext } from "./planned-appliance.ts";

/** New parts and units, which depend on kind, life and costs alone: about 20 KB each. */
export const planCaches = {
  parts: cacheOfNewParts(2000),
  units: computedNewUnits(500),
} satisfies PlanCaches;

/** Returns what plans need beside the components. */
export function planContextOfPrices<C extends DueComponent & PricedComponent & { flags?: string }>(
  prices: PriceList,
): PlanContext<C> {
  const { knowledge } = prices;
  return {
    knowledge,
    pricing: pricingAtPlace(prices),
    caches: planCaches,
    hazardOf: (component) => immediateHazardOf(knowledge, component),
  };
}

/** Returns whether stored flags of an appliance name a hazard that its authority wants removed at once. */
export const hasImmediateHazard = (knowledge: Knowledge, flags: string): boolean =>
  flags !== "" && hazardFlagsOfNotation(flags).some((flag) => isImmediate(knowledge, flag));

const isImmediate = (knowledge: Knowledge, flag: HazardFlag): boolean =>
  hazardFlagAction(knowledge, flag) === "immediate_hazard";

/** Returns the hazard that a component is or contains, if its authority wants it removed at once. */
function immediateHazardOf(
  knowledge: Knowledge,
  { defId, flags = "" }: { defId: string; flags?: string },
): ImmediateHazard | null {
  if (flags === "") return null;
  for (const flag of hazardFlagsOfNotation(flags)) {
    if (!isImmediate(knowledge, flag)) continue;
    const { componentIds, authority } = knowledge.knownHazard(flag.code);
    if (componentIds.has(defId)) return { label: hazardFlagLabel(knowledge, flag), authority };
  }
  return null;
}

import { PriceList } from "../../../src/domain/costs/price-list.ts";
import type { Knowledge } from "../../../src/domain/knowledge.ts";
import type { Plannable } from "../../../src/domain/planning/component-plan.ts";
import type { PlanContext } from "../../../src/domain/planning/planned-appliance.ts";
import { pricingBy } from "../../../src/domain/planning/prices.ts";
import { planCaches } from "../../../src/usecases/portfolio/plan-context.ts";

const PLACE = { size: null, unitId: null, state: "OH", unitCount: 0, grossAreaSqft: null, stories: null };

/** Returns the context of plans at the costs of the knowledge base, without a location factor. */
export function referenceContext(knowledge: Knowledge): PlanContext<Plannable> {
  const pricing = pricingBy<Plannable & typeof PLACE>(
    new PriceList(knowledge, { locationFactors: null, priceLevel: 1 }),
  );
  return {
    knowledge,
    pricing: (component) => {
      const { part, unit } = pricing({ ...PLACE, ...component });
      return {
        part: (one) => part({ ...PLACE, ...one }),
        unit: (principal) => unit(principal && { ...PLACE, ...principal }),
      };
    },
    caches: planCaches,
    hazardOf: () => null,
  };
}

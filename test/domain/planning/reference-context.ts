import { PriceList } from "../../../src/domain/costs/price-list.ts";
import type { Knowledge } from "../../../src/domain/domain-knowledge.ts";
import { pricingAtPlace } from "../../../src/domain/planning/appliance-pricing.ts";
import type { Plannable } from "../../../src/domain/planning/component-plan.ts";
import { planCaches } from "../../../src/domain/planning/plan-context.ts";
import type { PlanContext } from "../../../src/domain/planning/planned-appliance.ts";

const PLACE = { size: null, unitId: null, state: "OH", unitCount: 0, grossAreaSqft: null, stories: null };

/** Returns the context of plans at the costs of the knowledge base, without a location factor. */
export function referenceContext(knowledge: Knowledge): PlanContext<Plannable> {
  const pricing = pricingAtPlace<Plannable & typeof PLACE>(
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

/** The age and evidence of a part, and its own costs if it has some. */
export type State = {
  effectiveAgeYears: number;
  rate: number;
  hazardRatio: number;
  installYear: number;
  ownPlannedCents?: number | null;
  ownFailedCents?: number | null;
};

/** Returns the stored components of an appliance, with these states in turn. */
export function applianceOf(
  knowledge: Knowledge,
  typeId: string,
  states: readonly State[],
  given: Partial<Plannable> = {},
): Plannable[] {
  return knowledge.type(typeId).components.map(({ id }, at) => ({
    id: `C_${at}`,
    applianceId: `A_${typeId}`,
    defId: id,
    typeId,
    brandTier: "standard",
    installYearBasis: "given",
    installYearGiven: false,
    lastReplaced: null,
    past: null,
    overrideLifespan: null,
    recordsSince: "1990-01-01",
    scoredOn: "2026-07-01",
    riskTier: "GOOD",
    confidence: "HIGH",
    lifeFactor: 1,
    acuteHazard: 0,
    deficiencies: 0,
    ...states[at % states.length]!,
    ...given,
  }));
}

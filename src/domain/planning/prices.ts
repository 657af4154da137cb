import type { CostBasis } from "../costs/component-costs.ts";
import type { ComponentDef, Knowledge } from "../knowledge.ts";

/** The costs of a part or unit, in cents: a planned replacement, and one after a failure with its probable damage. */
export type Price = { plannedCents: number; failedCents: number; basis: CostBasis };

/** The prices of an appliance's parts, and of the appliance if it is replaced as a whole. */
type AppliancePrices<C> = {
  /** The part's own price, also for the principal part of a unit. */
  part(component: C): Price;
  /** U and U_f. `principal` is the part whose failure is the unit's. */
  unit(principal: C | undefined): Price;
};

/** Returns the prices of the appliance that a component belongs to. */
export type Pricing<C> = (component: C) => AppliancePrices<C>;

/** Returns the costs of the knowledge base, at the reference size of each type. */
export function referencePricing<C extends { defId: string; typeId: string }>(
  knowledge: Knowledge,
): Pricing<C> {
  return ({ typeId }) => {
    const { replacementCents, whole } = knowledge.type(typeId);
    return {
      part: ({ defId }) => {
        const { proactiveCents, reactiveCents } = knowledge.component(defId);
        return { plannedCents: proactiveCents, failedCents: reactiveCents, basis: "reference" };
      },
      unit: (principal) => ({
        plannedCents: replacementCents,
        failedCents:
          principal && whole?.principal
            ? Math.round(
                whole.principal.emergencyCents + expectedDamage(knowledge.component(principal.defId)),
              )
            : replacementCents,
        basis: "reference",
      }),
    };
  };
}

const expectedDamage = ({ damage }: ComponentDef) => (damage ? damage.probability * damage.cents : 0);

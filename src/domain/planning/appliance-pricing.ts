import type { PartCosts } from "../costs/component-costs.ts";
import type { PricedComponent, PriceList } from "../costs/price-list.ts";
import { hasOwnCosts } from "../costs/stated-costs.ts";

/** The costs of a part or unit: a planned replacement, and one after a failure with its probable damage. */
export type Price = Pick<PartCosts, "plannedCents" | "failedCents" | "basis" | "scaling">;

/** The prices of an appliance's parts, and of the appliance if it is replaced as a whole. */
type AppliancePrices<C> = {
  /** The part's own price, also for the principal part of a unit. */
  part(component: C): Price;
  /** U and U_f. `principal` is the part whose failure is the unit's. */
  unit(principal: C | undefined): Price;
};

/** Returns the prices of the appliance that a component belongs to. */
export type PricingAtPlace<C> = (component: C) => AppliancePrices<C>;

/** Returns the prices of a price list, each in the component's place. */
export function pricingAtPlace<C extends PricedComponent>(prices: PriceList): PricingAtPlace<C> {
  return (component) => {
    const ofType = prices.ofAppliance(component, component);
    return {
      part: (part) => ofType.part(part.defId, part),
      unit: (principal) =>
        ofType.unit(
          principal && hasOwnCosts(principal) ? new Map([[principal.defId, principal]]) : undefined,
        ),
    };
  };
}

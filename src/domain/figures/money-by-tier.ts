import { tierOfHundredths } from "../component.ts";
import type { TypePrices } from "../costs/price-list.ts";
import type { OwnCosts } from "../costs/stated-costs.ts";
import { WholeUnitCostSums } from "../costs/whole-unit-cost-sums.ts";
import type { TotalMoney } from "./property-totals.ts";

/** A component of an appliance, with its score in hundredths. */
type Scored = OwnCosts & { applianceId: string; defId: string; riskScore: number };

/** Returns the sums of money of one appliance by the tiers of its components, and its replacement cost value. */
export function moneyOfAppliance(prices: TypePrices, components: Iterable<Scored>): TotalMoney {
  const sums = new WholeUnitCostSums();
  let applianceId = "";
  for (const component of components) {
    ({ applianceId } = component);
    sums.see(component, prices);
    const tier = tierOfHundredths(component.riskScore);
    if (tier === "GOOD") continue;
    const costs = prices.component(component.defId, component);
    sums.add(applianceId, prices, costs, tier === "CRITICAL" ? "first" : "second");
  }
  return moneyByTierFromCosts(sums, prices.unit(sums.ownOf(applianceId)).rcvCents);
}

/** Returns the sums of money from the costs of CRITICAL components, the first class, and WARNING ones. */
export function moneyByTierFromCosts(
  { sums: { first, second } }: WholeUnitCostSums,
  rcvCents: number,
): TotalMoney {
  return {
    criticalProactiveCents: first.planned,
    warningProactiveCents: second.planned,
    criticalReactiveCents: first.failed,
    warningReactiveCents: second.failed,
    rcvCents,
  };
}

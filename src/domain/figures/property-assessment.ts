import { type Component, tierOfHundredths } from "../component.ts";
import { COST_BASES, type CostBasis, zeroCentsByBasis } from "../costs/component-costs.ts";
import type { PricedComponent, PriceList, TypePrices } from "../costs/price-list.ts";
import { WholeUnitCostSums } from "../costs/whole-unit-cost-sums.ts";
import type { BrandTier } from "../scoring/scoring-types.ts";
import { moneyByTierFromCosts } from "./money-by-tier.ts";
import { countTierInTotals, emptyTotals, type PropertyTotals, type TotalMoney } from "./property-totals.ts";

/** A component with the fields of its appliance and property that figures read. */
export type AssessedComponent = Component & PricedComponent & { brandTier: BrandTier };

/** Counts and costs by tier, and the replacement cost value. Money in cents. */
export type Assessment = Omit<PropertyTotals, "serviceEvents" | "dueCents">;

/**
 * Sums up the assessment of a property, or of a group of whole appliances, component by component. Each appliance counts
 * once in the replacement cost value (docs/model/figures.md#replacement-cost-value), and a unit that is replaced as a whole
 * at most once in deferred maintenance and exposure.
 */
export class AssessmentAccumulator {
  readonly #counts = emptyTotals();
  readonly #money: MoneyAccumulator;

  constructor(private readonly prices: PriceList) {
    this.#money = new MoneyAccumulator(prices);
  }

  add(component: AssessedComponent): void {
    this.#counts.components++;
    countTierInTotals(this.#counts, component.riskScore, this.prices.knowledge.component(component.defId), 1);
    if (this.#money.add(component)) this.#counts.appliances++;
  }

  /** The replacement cost value by where it comes from. */
  get rcvByBasis(): Record<CostBasis, number> {
    return this.#money.rcvByBasis;
  }

  get assessment(): Assessment {
    return { ...this.#counts, ...this.#money.money };
  }
}

/** A component with what the sums of money depend on. */
type SummedComponent = PricedComponent & Pick<Component, "applianceId" | "riskScore">;

/** Sums up the money of components: by tier, and the replacement cost value of their appliances. */
export class MoneyAccumulator {
  readonly #sums = new WholeUnitCostSums();
  readonly #appliances = new Map<string, TypePrices>();

  constructor(private readonly prices: PriceList) {}

  /** Returns whether the component is the first one of its appliance. */
  add(component: SummedComponent): boolean {
    const { applianceId, defId, riskScore } = component;
    const prices = this.prices.ofAppliance(component, component);
    const tier = tierOfHundredths(riskScore);
    this.#sums.see(component, prices);
    if (tier !== "GOOD") {
      const costs = prices.component(defId, component);
      this.#sums.add(applianceId, prices, costs, tier === "CRITICAL" ? "first" : "second");
    }
    if (this.#appliances.has(applianceId)) return false;
    this.#appliances.set(applianceId, prices);
    return true;
  }

  get rcvByBasis(): Record<CostBasis, number> {
    const sum = zeroCentsByBasis();
    for (const [id, prices] of this.#appliances) {
      const { rcvByBasis } = prices.unit(this.#sums.ownOf(id));
      for (const basis of COST_BASES) sum[basis] += rcvByBasis[basis];
    }
    return sum;
  }

  get money(): TotalMoney {
    let rcvCents = 0;
    for (const [id, prices] of this.#appliances) rcvCents += prices.unit(this.#sums.ownOf(id)).rcvCents;
    return moneyByTierFromCosts(this.#sums, rcvCents);
  }
}

/** Returns the number of units to divide by: at least one. */
const doorCount = (unitCount: number) => Math.max(unitCount, 1);

/** Returns an amount per unit, in whole cents. */
export const centsPerUnit = (cents: number, unitCount: number) => Math.round(cents / doorCount(unitCount));

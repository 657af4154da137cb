import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { PlannedUnitJson } from "../../api-schemas/plan-schema.ts";
import { centsFromUsd } from "../../domain/costs/usd-cents.ts";
import { WholeUnitCostSums } from "../../domain/costs/whole-unit-cost-sums.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";

type Priced = Pick<ComponentJson, "appliance_id" | "risk_tier" | "proactive_cost" | "reactive_cost">;
type PricedUnit = Pick<PlannedUnitJson, "appliance_id" | "price" | "failed_price">;

/** The prices of units that are replaced as a whole, by appliance. */
export type PageUnitPrices = ReadonlyMap<string, PricedUnit>;
export const pageUnitPrices = (units: readonly PricedUnit[]): PageUnitPrices =>
  new Map(units.map((unit) => [unit.appliance_id, unit]));

/** Costs in USD. */
type TierCosts = { plannedUsd: number; afterFailureUsd: number };

/** The costs of components by tier, as the API sums them: a unit that is replaced as a whole costs what it does at most. */
export class PageTierCosts {
  readonly #elevated = new WholeUnitCostSums();
  readonly #all = new WholeUnitCostSums();

  constructor(private readonly prices: PageUnitPrices) {}

  add({ appliance_id, risk_tier, proactive_cost, reactive_cost }: Priced): void {
    const unit = this.prices.get(appliance_id);
    const pricing = {
      isWhole: unit !== undefined,
      unit: () => centsOf(unit?.price ?? 0, unit?.failed_price ?? 0),
    };
    const costs = centsOf(proactive_cost, reactive_cost);
    const isElevated = risk_tier !== "GOOD";
    if (isElevated)
      this.#elevated.add(appliance_id, pricing, costs, risk_tier === "CRITICAL" ? "first" : "second");
    this.#all.add(appliance_id, pricing, costs, isElevated ? "first" : "second");
  }

  get tiers(): Readonly<Record<RiskTier, TierCosts>> {
    const elevated = this.#elevated.sums;
    return {
      CRITICAL: usdOf(elevated.first),
      WARNING: usdOf(elevated.second),
      GOOD: usdOf(this.#all.sums.second),
    };
  }
}

const centsOf = (planned: number, failed: number) => ({
  plannedCents: centsFromUsd(planned),
  failedCents: centsFromUsd(failed),
});

const usdOf = ({ planned, failed }: { planned: number; failed: number }): TierCosts => ({
  plannedUsd: planned / 100,
  afterFailureUsd: failed / 100,
});

import type { PartCosts } from "./component-costs.ts";
import { hasOwnCosts, type OwnCosts } from "./stated-costs.ts";

/** Amounts in cents, planned and after a failure. */
type Amounts = { planned: number; failed: number };

/** The price of a unit, where its type is replaced as a whole, with the own numbers of its components. */
type UnitPricing = {
  readonly isWhole: boolean;
  unit(own?: ReadonlyMap<string, OwnCosts>): Pick<PartCosts, "plannedCents" | "failedCents">;
};

type Unit = {
  prices: UnitPricing;
  first: Amounts;
  second: Amounts;
  /** Own numbers of components, by their kinds. */
  own: Map<string, OwnCosts> | undefined;
};

const nothing = (): Amounts => ({ planned: 0, failed: 0 });

/** Adds up costs of components in two classes. A unit that is replaced as a whole counts at most once in both together. */
export class WholeUnitCostSums {
  readonly #first = nothing();
  readonly #second = nothing();
  readonly #units = new Map<string, Unit>();

  /** Notes the own numbers of a component, also of one that does not count: they may price its unit. */
  see(component: OwnCosts & { applianceId: string; defId: string }, prices: UnitPricing): void {
    if (!hasOwnCosts(component)) return;
    const unit = this.#unit(component.applianceId, prices);
    unit.own ??= new Map();
    unit.own.set(component.defId, component);
  }

  /** Adds a share of a component's costs to a class. */
  add(
    applianceId: string,
    prices: UnitPricing,
    { plannedCents, failedCents }: Pick<PartCosts, "plannedCents" | "failedCents">,
    to: "first" | "second" = "first",
    share = 1,
  ): void {
    const sum = prices.isWhole
      ? this.#unit(applianceId, prices)[to]
      : to === "first"
        ? this.#first
        : this.#second;
    sum.planned += share * plannedCents;
    sum.failed += share * failedCents;
  }

  /** Returns the sums; the first class of a unit counts before the second one. */
  get sums(): { first: Amounts; second: Amounts } {
    const [first, second] = [{ ...this.#first }, { ...this.#second }];
    for (const { prices, own, ...unit } of this.#units.values()) {
      const { plannedCents, failedCents } = prices.unit(own);
      for (const [column, most] of [
        ["planned", plannedCents],
        ["failed", failedCents],
      ] as const) {
        const ofFirst = Math.min(unit.first[column], most);
        first[column] += ofFirst;
        second[column] += Math.min(unit.second[column], most - ofFirst);
      }
    }
    return { first, second };
  }

  /** Returns the own numbers of an appliance's components, as far as they were seen. */
  ownOf(applianceId: string): ReadonlyMap<string, OwnCosts> | undefined {
    return this.#units.get(applianceId)?.own;
  }

  #unit(applianceId: string, prices: UnitPricing): Unit {
    let unit = this.#units.get(applianceId);
    if (!unit) {
      unit = { prices, first: nothing(), second: nothing(), own: undefined };
      this.#units.set(applianceId, unit);
    }
    return unit;
  }
}

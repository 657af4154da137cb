import type { Appliance } from "../../domain/appliance.ts";
import { type Component, WARNING_FROM } from "../../domain/component.ts";
import type { PricedAppliance, PricedProperty } from "../../domain/costs/appliance-size.ts";
import type { CostContext, PlannedPlace } from "../../domain/costs/cost-context.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { OwnCosts } from "../../domain/costs/stated-costs.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { moneyOfAppliance } from "../../domain/figures/money-by-tier.ts";
import type { TotalMoney } from "../../domain/figures/property-totals.ts";
import { expectedFailureCostForSorting } from "../../domain/scoring/score-projections.ts";
import type { Tx } from "../../store/store.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import type { PortfolioWriterDueCostChanges } from "./portfolio-writer-due-cost-changes.ts";

/** An appliance as far as its sums of money depend on it. */
export type SummedAppliance = PricedAppliance & { id: string; propertyId: string };

type CostedAppliance = SummedAppliance & Pick<Appliance, "brandTier">;

type Scored = OwnCosts & Pick<Component, "id" | "applianceId" | "defId" | "riskScore">;

/** The state of an appliance before a write changes it: those of its components that change. */
type Found = {
  appliance: SummedAppliance;
  property: PricedProperty;
  components: Map<string, Scored>;
  /** False if only scores change, with which the expected costs and what is due are stored already. */
  isRepriced: boolean;
};

/** An appliance that the write has created: as it was then, unless the write has changed it since. */
type Created = { appliance: SummedAppliance; components: Map<string, Scored>; isChanged: boolean };

/** Appliances whose components are read together. */
const APPLIANCES_A_STEP = 200;

/**
 * Follows what a write does to the sums of money of appliances. A unit that is replaced as a whole counts once at most, so a
 * component's share depends on the others of its appliance: the differences are computed at the end of the write.
 */
export class PortfolioWriterMoneyChanges {
  readonly #created = new Map<string, Created>();
  readonly #found = new Map<string, Found>();
  #prices: Promise<PriceList> | undefined;
  /** The prices, once they are read. */
  #known: PriceList | undefined;
  /** The data that costs depend on, for the properties that this write has seen, by their ids. */
  readonly #places = new Map<string, PlannedPlace>();

  constructor(
    private readonly tx: Tx,
    private readonly knowledge: Knowledge,
    private readonly partnerId: string,
  ) {}

  /** Returns the partner's prices, as they are in this transaction. */
  prices(): Promise<PriceList> {
    this.#prices ??= loadCurrentPartnerPrices(this.tx, this.knowledge, this.partnerId);
    return this.#prices;
  }

  /** Notes a property as it is now, so that it is not read again for its prices. */
  see(property: PlannedPlace & { id: string }): void {
    this.#places.set(property.id, property);
  }

  async placeOf(propertyId: string): Promise<PlannedPlace> {
    let place = this.#places.get(propertyId);
    if (!place) {
      place = (await this.tx.properties.find(this.partnerId, propertyId))!;
      this.#places.set(propertyId, place);
    }
    return place;
  }

  /**
   * Returns what the costs in a property follow from; a promise only where that must be read, since one for each component takes
   * longer than its costs.
   */
  costsIn(propertyId: string): CostContext | Promise<CostContext> {
    const place = this.#places.get(propertyId);
    return place && this.#known ? { prices: this.#known, place } : this.#readCostsIn(propertyId);
  }

  async #readCostsIn(propertyId: string): Promise<CostContext> {
    this.#known = await this.prices();
    return { prices: this.#known, place: await this.placeOf(propertyId) };
  }

  /** Returns what a failure of a component within 12 months is expected to cost, in cents. */
  expectedCost(component: Component, appliance: CostedAppliance): number | Promise<number> {
    if (component.riskScore < WARNING_FROM) return 0;
    const costs = this.costsIn(appliance.propertyId);
    return costs instanceof Promise
      ? costs.then((read) => this.#expectedCost(component, appliance, read))
      : this.#expectedCost(component, appliance, costs);
  }

  #expectedCost(component: Component, appliance: CostedAppliance, { prices, place }: CostContext): number {
    const { failedCents } = prices.ofAppliance(appliance, place).component(component.defId, component);
    return expectedFailureCostForSorting(this.knowledge, component, appliance.brandTier, failedCents);
  }

  create(appliance: SummedAppliance): void {
    this.#created.set(appliance.id, { appliance, components: new Map(), isChanged: false });
  }

  /** Notes a component of a created appliance, with its present score; returns false for one of another appliance. */
  addNew(component: Scored): boolean {
    const created = this.#created.get(component.applianceId);
    created?.components.set(component.id, component);
    return created !== undefined;
  }

  /** Notes an appliance before the write changes what its costs depend on, or the own numbers of a component. */
  reprice(appliance: SummedAppliance, property: PricedProperty, component?: Scored): void {
    const created = this.#created.get(appliance.id);
    // The own numbers of a component do not change the appliance.
    if (created) created.isChanged ||= component === undefined;
    else this.#find(appliance, property, component).isRepriced = true;
  }

  /** Notes a component of an appliance that the write has not created, before its score changes. */
  rescore(appliance: SummedAppliance, property: PricedProperty, component: Scored): void {
    this.#find(appliance, property, component);
  }

  #find(appliance: SummedAppliance, property: PricedProperty, component?: Scored): Found {
    let found = this.#found.get(appliance.id);
    if (!found) {
      found = { appliance, property: { ...property }, components: new Map(), isRepriced: false };
      this.#found.set(appliance.id, found);
    }
    if (component && !found.components.has(component.id)) found.components.set(component.id, component);
    return found;
  }

  /** Forgets an appliance whose property is counted again: its components may be of another type by now. */
  forget(applianceId: string): void {
    this.#created.delete(applianceId);
    this.#found.delete(applianceId);
  }

  /** Yields the differences, by property, and settles what is due of the appliances that changed. */
  async *differences(
    due: Pick<PortfolioWriterDueCostChanges, "settle">,
  ): AsyncGenerator<{ propertyId: string; money: TotalMoney; sign: 1 | -1 }> {
    if (this.#created.size === 0 && this.#found.size === 0) return;
    const { tx, partnerId } = this;
    const prices = await this.prices();
    for (const { appliance, components, isChanged } of this.#created.values()) {
      const { id, propertyId } = appliance;
      const stored = isChanged ? await tx.appliances.find(partnerId, id) : undefined;
      const here = prices.ofAppliance(stored ?? appliance, await this.placeOf(propertyId));
      yield { propertyId, money: moneyOfAppliance(here, components.values()), sign: 1 };
    }
    const ids = [...this.#found.keys()];
    for (let from = 0; from < ids.length; from += APPLIANCES_A_STEP) {
      const some = ids.slice(from, from + APPLIANCES_A_STEP);
      const repriced = some.filter((id) => this.#found.get(id)!.isRepriced);
      const now = new Map((await tx.appliances.ofIds(partnerId, repriced)).map((one) => [one.id, one]));
      const components = Map.groupBy(await tx.components.ofAppliances(some), (one) => one.applianceId);
      for (const id of some) {
        const found = this.#found.get(id)!;
        const present = components.get(id) ?? [];
        const before = present.map((one) => found.components.get(one.id) ?? one);
        const { propertyId } = found.appliance;
        const beforePrices = prices.ofAppliance(found.appliance, found.property);
        yield { propertyId, money: moneyOfAppliance(beforePrices, before), sign: -1 };
        const stored = now.get(id);
        if (stored) {
          await this.#renewExpectedCosts(stored, present);
          await due.settle(stored, present);
        }
        const after = stored ?? found.appliance;
        const afterPrices = prices.ofAppliance(after, await this.placeOf(after.propertyId));
        yield { propertyId: after.propertyId, money: moneyOfAppliance(afterPrices, present), sign: 1 };
      }
      await tx.yieldToEventLoop();
    }
  }

  async #renewExpectedCosts(appliance: Appliance, components: readonly Component[]): Promise<void> {
    for (const component of components) {
      const cents = await this.expectedCost(component, appliance);
      if (cents !== component.expectedCostCents)
        await this.tx.components.saveExpectedCost(component.id, cents);
    }
  }
}

import type { Component, ComponentToScore } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import {
  addMoneyTotals,
  countTierInTotals,
  emptyTotals,
  type PropertyTotals,
} from "../../domain/figures/property-totals.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { NumberedList, Tx } from "../../store/store.ts";
import { recountPropertySums } from "../recalculation/recount-derived-data.ts";
import { type ListDirection, PortfolioWriterCounterChanges } from "./portfolio-writer-counter-changes.ts";
import type { PortfolioWriterDueCostChanges } from "./portfolio-writer-due-cost-changes.ts";
import { PortfolioWriterFlagCountChanges } from "./portfolio-writer-flag-count-changes.ts";
import type { PortfolioWriterMoneyChanges } from "./portfolio-writer-money-changes.ts";

/**
 * Collects by how much a write changes the sums of the properties and of the partner, the numbers of the lists, the counters by
 * score, and which plans become stale. `store` writes them once.
 */
export class PortfolioWriterSumChanges {
  readonly flags = new PortfolioWriterFlagCountChanges();
  readonly #partner = {
    ...emptyTotals(),
    properties: 0,
    events: 0,
    retiredProperties: 0,
    retiredAppliances: 0,
    retiredComponents: 0,
  };
  readonly #properties = new Map<string, PropertyTotals>();
  readonly #counters = new PortfolioWriterCounterChanges();
  /** Properties whose sums are counted again by `store`. */
  readonly #recounted = new Set<string>();
  readonly #stalePlans = new Set<string>();

  constructor(private readonly knowledge: Knowledge) {}

  countListed(list: NumberedList): void {
    this.#partner[list]++;
  }

  countAppliance(propertyId: string): void {
    this.ofProperty(propertyId).appliances++;
  }

  countComponent(component: Component): void {
    const def = this.knowledge.component(component.defId);
    this.markPlanStale(component.propertyId);
    const totals = this.ofProperty(component.propertyId);
    totals.components++;
    for (const sums of [totals, this.#partner]) countTierInTotals(sums, component.riskScore, def, 1);
    this.#counters.count(component, 1);
  }

  countServiceEvent({ propertyId }: Pick<ServiceEvent, "propertyId">, change: 1 | -1): void {
    this.ofProperty(propertyId).serviceEvents += change;
    this.#partner.serviceEvents += change;
  }

  /** Moves a component to the place of its new score in the lists. */
  moveScore(before: ComponentToScore, after: Component): void {
    this.#counters.move(before, after);
  }

  moveTier(before: ComponentToScore, after: Component): void {
    const def = this.knowledge.component(after.defId);
    for (const totals of [this.ofProperty(after.propertyId), this.#partner]) {
      countTierInTotals(totals, before.riskScore, def, -1);
      countTierInTotals(totals, after.riskScore, def, 1);
    }
  }

  retireProperty({ id, seq }: { id: string; seq: number }, direction: ListDirection): void {
    this.#counters.countRetired("properties", seq, direction);
    this.#partner.retiredProperties += signOf(direction);
    this.recount(id);
  }

  retireAppliance({ propertyId, seq }: { propertyId: string; seq: number }, direction: ListDirection): void {
    this.#counters.countRetired("appliances", seq, direction);
    this.#partner.retiredAppliances += signOf(direction);
    this.recount(propertyId);
  }

  retireComponent(component: Component, direction: ListDirection): void {
    this.#counters.count(component, direction === "out" ? -1 : 1);
    this.#counters.countRetired("components", component.seq, direction);
    this.#partner.retiredComponents += signOf(direction);
    this.recount(component.propertyId);
  }

  /** Counts the sums of a property again in `store`, and marks its plan as stale. */
  recount(propertyId: string): void {
    this.#recounted.add(propertyId);
    this.markPlanStale(propertyId);
  }

  markPlanStale(propertyId: string): void {
    this.#stalePlans.add(propertyId);
  }

  ofProperty(propertyId: string): PropertyTotals {
    let totals = this.#properties.get(propertyId);
    if (!totals) {
      totals = emptyTotals();
      this.#properties.set(propertyId, totals);
    }
    return totals;
  }

  /** Adds the differences to the stored sums. */
  async store(
    tx: Tx,
    partnerId: string,
    money: PortfolioWriterMoneyChanges,
    due: PortfolioWriterDueCostChanges,
  ): Promise<void> {
    await due.settleRest();
    for await (const { propertyId, money: amounts, sign } of money.differences(due))
      for (const totals of [this.ofProperty(propertyId), this.#partner])
        addMoneyTotals(totals, amounts, sign);
    for (const [propertyId, totals] of this.#properties) await tx.totals.addToProperty(propertyId, totals);
    await this.flags.store(tx, partnerId);
    for (const propertyId of this.#stalePlans) await tx.plans.touch(propertyId);
    await tx.totals.addToPartner(partnerId, this.#partner);
    tx.bumpRevision(partnerId);
    await this.#counters.store(tx, partnerId);
    const recounted = await tx.properties.ofIds(partnerId, [...this.#recounted]);
    await recountPropertySums(tx, this.knowledge, partnerId, recounted);
  }
}

const signOf = (direction: ListDirection) => (direction === "out" ? 1 : -1);

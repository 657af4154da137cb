import type { Appliance } from "../../domain/appliance.ts";
import type { Component, ComponentToScore } from "../../domain/component.ts";
import type { CostContext, PlannedPlace } from "../../domain/costs/cost-context.ts";
import type { PricedComponent } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { DueComponent } from "../../domain/planning/component-plan.ts";
import { decisionValidityDaysLost } from "../../domain/planning/due-decision-validity.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import {
  decideOnDueUntil,
  isSameDue,
  type PlanContext,
  type StoredDue,
} from "../../domain/planning/planned-appliance.ts";
import { addDays, type Day } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";

/** The fields of an appliance that what is due of it depends on, and what was stored of it. */
type DueAppliance = Pick<
  Appliance,
  | "id"
  | "propertyId"
  | "typeId"
  | "unitId"
  | "size"
  | "brandTier"
  | "installYearBasis"
  | "flags"
  | keyof StoredDue
>;

/**
 * An appliance of which some components are scored. `lostDays`: by how many days an earlier decision holds shorter; Infinity if
 * it does not hold.
 */
type OpenAppliance = { appliance: DueAppliance; components: Map<string, Component>; lostDays: number };

/**
 * Follows what a write does to the cost of what is due now, appliance by appliance. Stores with each decision how long it
 * holds, so that snapshots need not make it again.
 */
export class PortfolioWriterDueCostChanges {
  /** Appliances of which some components are scored. */
  readonly #open = new Map<string, OpenAppliance>();
  /** The states that this write has stored. */
  readonly #saved = new Map<string, StoredDue>();
  #isTrusting = false;
  #context: PlanContext<DuePart> | undefined;

  /** `add` receives the differences, by property. */
  constructor(
    private readonly tx: Tx,
    private readonly knowledge: Knowledge,
    private readonly money: { costsIn(propertyId: string): CostContext | Promise<CostContext> },
    private readonly add: (propertyId: string, cents: number) => void,
  ) {}

  /**
   * Sets whether no decision is made for an appliance of which one still holds after its parts have aged and their evidence
   * has changed: nothing else that decides what is due has.
   */
  trustDecisions(trusts: boolean): void {
    this.#isTrusting = trusts;
  }

  /**
   * Notes a component with its new score; stores what is due of its appliance once all components are scored. Returns nothing
   * where there is nothing to wait for, since a promise for each component takes longer.
   */
  scored(
    before: ComponentToScore,
    component: Component,
    stored: DueAppliance,
    flags: string,
  ): Promise<void> | undefined {
    // Other flags may make something else due.
    const appliance = flags === stored.flags ? stored : { ...stored, flags, dueHoldsUntil: null };
    let open = this.#open.get(appliance.id);
    if (!open) {
      open = { appliance, components: new Map(), lostDays: 0 };
      this.#open.set(appliance.id, open);
    }
    open.appliance = appliance;
    if (open.lostDays < Infinity)
      open.lostDays = Math.max(open.lostDays, this.#daysLost(appliance, before, component));
    open.components.set(component.id, component);
    if (open.components.size < this.knowledge.type(appliance.typeId).components.length) return undefined;
    this.#open.delete(appliance.id);
    return this.#settleOpen(open);
  }

  /** Settles the appliances that have fewer components than their type. */
  async settleRest(): Promise<void> {
    for (const open of this.#open.values()) await this.#settleOpen(open);
    this.#open.clear();
  }

  /** Returns by how many days the change of a component shortens the time for which the stored decision holds. */
  #daysLost(appliance: DueAppliance, before: ComponentToScore, component: Component): number {
    if (!this.#isTrusting || !isHeldOn(appliance, component.scoredOn)) return Infinity;
    // Stored by this write, which the row does not show.
    if (this.#saved.has(appliance.id)) return Infinity;
    return decisionValidityDaysLost(before, component);
  }

  #settleOpen({ appliance, components, lostDays }: OpenAppliance): Promise<void> | undefined {
    if (lostDays === 0) return undefined;
    const all = [...components.values()];
    if (lostDays < Infinity) {
      const { dueCents, unitTiming } = appliance;
      const dueHoldsUntil = addDays(appliance.dueHoldsUntil!, -lostDays);
      if (isHeldOn({ dueHoldsUntil }, all[0]!.scoredOn))
        return this.#save(appliance, appliance, { dueCents, unitTiming, dueHoldsUntil });
    }
    return this.settle(appliance, all);
  }

  /** Forgets an appliance whose property is counted again. */
  forget(applianceId: string): void {
    this.#open.delete(applianceId);
  }

  /** Stores what is due of an appliance with these components, if it changed. */
  settle(appliance: DueAppliance, components: readonly Component[]): Promise<void> | undefined {
    const costs = this.money.costsIn(appliance.propertyId);
    return costs instanceof Promise
      ? costs.then((read) => this.#settle(appliance, components, read))
      : this.#settle(appliance, components, costs);
  }

  #settle(
    appliance: DueAppliance,
    components: readonly Component[],
    { prices, place }: CostContext,
  ): Promise<void> | undefined {
    this.#context ??= planContextOfPrices<DuePart>(prices);
    const parts = components.map((component) => duePart(component, appliance, place));
    const due = this.#dueOf(this.#context, parts);
    const before = this.#saved.get(appliance.id) ?? appliance;
    return isSameDue(due, before) && due.dueHoldsUntil === before.dueHoldsUntil
      ? undefined
      : this.#save(appliance, before, due);
  }

  #dueOf(context: PlanContext<DuePart>, parts: readonly DuePart[]): StoredDue {
    return parts.length === 0 ? NOTHING_DUE : decideOnDueUntil(context, parts);
  }

  async #save({ id, propertyId }: DueAppliance, before: StoredDue, due: StoredDue): Promise<void> {
    await this.tx.appliances.saveDue(id, due);
    this.#saved.set(id, due);
    this.add(propertyId, due.dueCents - before.dueCents);
  }
}

const NOTHING_DUE: StoredDue = { dueCents: 0, unitTiming: null, dueHoldsUntil: null };

const isHeldOn = ({ dueHoldsUntil }: Pick<StoredDue, "dueHoldsUntil">, day: Day) =>
  dueHoldsUntil !== null && day <= dueHoldsUntil;

type DuePart = DueComponent & PricedComponent & { flags: string };

/** Returns the fields that decide what is due. A snapshot makes one for each component, of which spreads would copy all. */
const duePart = (component: Component, appliance: DueAppliance, place: PlannedPlace): DuePart => ({
  applianceId: appliance.id,
  defId: component.defId,
  installYear: component.installYear,
  installYearGiven: component.installYearGiven,
  lastReplaced: component.lastReplaced,
  past: component.past,
  overrideLifespan: component.overrideLifespan,
  scoredOn: component.scoredOn,
  lifeFactor: component.lifeFactor,
  effectiveAgeYears: component.effectiveAgeYears,
  rate: component.rate,
  hazardRatio: component.hazardRatio,
  acuteHazard: component.acuteHazard,
  ownPlannedCents: component.ownPlannedCents,
  ownFailedCents: component.ownFailedCents,
  typeId: appliance.typeId,
  brandTier: appliance.brandTier,
  installYearBasis: appliance.installYearBasis,
  flags: appliance.flags,
  size: appliance.size,
  unitId: appliance.unitId,
  state: place.state,
  unitCount: place.unitCount,
  grossAreaSqft: place.grossAreaSqft,
  stories: place.stories,
  recordsSince: place.recordsSince,
});

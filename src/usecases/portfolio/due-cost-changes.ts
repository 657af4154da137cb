import type { Appliance } from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import type { PricedComponent } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { DueComponent } from "../../domain/planning/component-plan.ts";
import {
  type DueState,
  dueStateOfAppliance,
  isSameDue,
  type PlanContext,
} from "../../domain/planning/planned-appliance.ts";
import type { Tx } from "../../store/store.ts";
import type { CostContext, PlannedPlace } from "./cost-context.ts";
import { planContextOf } from "./plan-context.ts";

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
  | keyof DueState
>;

/** Follows what a write does to the cost of what is due now, appliance by appliance. */
export class DueCostChanges {
  /** Appliances of which some components are scored. */
  readonly #open = new Map<string, { appliance: DueAppliance; components: Map<string, Component> }>();
  /** The states that this write has stored. */
  readonly #saved = new Map<string, DueState>();
  #context: PlanContext<DuePart> | undefined;

  /** `add` receives the differences, by property. */
  constructor(
    private readonly tx: Tx,
    private readonly knowledge: Knowledge,
    private readonly money: { costsIn(propertyId: string): CostContext | Promise<CostContext> },
    private readonly add: (propertyId: string, cents: number) => void,
  ) {}

  /**
   * Notes a component with its new score; stores what is due of its appliance once all components are scored. Returns nothing
   * where there is nothing to wait for, since a promise for each component takes longer.
   */
  scored(component: Component, appliance: DueAppliance): Promise<void> | undefined {
    let open = this.#open.get(appliance.id);
    if (!open) {
      open = { appliance, components: new Map() };
      this.#open.set(appliance.id, open);
    }
    open.appliance = appliance;
    open.components.set(component.id, component);
    if (open.components.size < this.knowledge.type(appliance.typeId).components.length) return undefined;
    this.#open.delete(appliance.id);
    return this.settle(appliance, [...open.components.values()]);
  }

  /** Settles the appliances that have fewer components than their type. */
  async settleRest(): Promise<void> {
    for (const { appliance, components } of this.#open.values())
      await this.settle(appliance, [...components.values()]);
    this.#open.clear();
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
    this.#context ??= planContextOf<DuePart>(prices);
    const parts = components.map((component) => duePart(component, appliance, place));
    const due = parts.length === 0 ? NOTHING_DUE : dueStateOfAppliance(this.#context, parts);
    const before = this.#saved.get(appliance.id) ?? appliance;
    return isSameDue(due, before) ? undefined : this.#save(appliance, before, due);
  }

  async #save({ id, propertyId }: DueAppliance, before: DueState, due: DueState): Promise<void> {
    await this.tx.appliances.saveDue(id, due);
    this.#saved.set(id, due);
    this.add(propertyId, due.dueCents - before.dueCents);
  }
}

const NOTHING_DUE: DueState = { dueCents: 0, unitTiming: null };

type DuePart = DueComponent & PricedComponent & { flags: string };

/** Returns the fields that decide what is due. A snapshot makes one for each component, of which spreads would copy all. */
const duePart = (component: Component, appliance: DueAppliance, place: PlannedPlace): DuePart => ({
  applianceId: appliance.id,
  defId: component.defId,
  installYear: component.installYear,
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

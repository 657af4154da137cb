import type { Appliance } from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { PricedProperty } from "../../domain/costs/size.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { dueCentsOf } from "../../domain/planning/planned-appliance.ts";
import type { Property } from "../../domain/property.ts";
import type { Tx } from "../../store/store.ts";
import { planContextOf } from "./plan-context.ts";

/** The fields of an appliance that what is due of it depends on, and what was stored of it. */
type DueAppliance = Pick<
  Appliance,
  "id" | "propertyId" | "typeId" | "unitId" | "size" | "brandTier" | "installYearBasis" | "flags" | "dueCents"
>;

/** The fields of a property that costs and due dates of its components depend on. */
export type PlannedPlace = PricedProperty & Pick<Property, "recordsSince">;

/** Prices and properties as a write knows them. */
type Places = { prices(): Promise<PriceList>; placeOf(propertyId: string): Promise<PlannedPlace> };

/** Follows what a write does to the cost of what is due now, appliance by appliance. */
export class DueChanges {
  /** Appliances of which some components are scored. */
  readonly #open = new Map<string, { appliance: DueAppliance; components: Map<string, Component> }>();
  /** The costs that this write has stored. */
  readonly #saved = new Map<string, number>();

  /** `add` receives the differences, by property. */
  constructor(
    private readonly tx: Tx,
    private readonly knowledge: Knowledge,
    private readonly places: Places,
    private readonly add: (propertyId: string, cents: number) => void,
  ) {}

  /** Notes a component with its new score; stores what is due of its appliance once all components are scored. */
  async scored(component: Component, appliance: DueAppliance): Promise<void> {
    let open = this.#open.get(appliance.id);
    if (!open) {
      open = { appliance, components: new Map() };
      this.#open.set(appliance.id, open);
    }
    open.appliance = appliance;
    open.components.set(component.id, component);
    if (open.components.size < this.knowledge.type(appliance.typeId).components.length) return;
    this.#open.delete(appliance.id);
    await this.settle(appliance, [...open.components.values()]);
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

  /** Stores what is due of an appliance with these components. */
  async settle(appliance: DueAppliance, components: readonly Component[]): Promise<void> {
    const { id, propertyId } = appliance;
    const context = planContextOf<Component & DueAppliance & PlannedPlace>(await this.places.prices());
    const place = await this.places.placeOf(propertyId);
    const placed = components.map((component) => ({ ...appliance, ...component, ...placeFields(place) }));
    const cents = placed.length === 0 ? 0 : dueCentsOf(context, placed);
    const before = this.#saved.get(id) ?? appliance.dueCents;
    if (cents === before) return;
    await this.tx.appliances.saveDue(id, cents);
    this.#saved.set(id, cents);
    this.add(propertyId, cents - before);
  }
}

const placeFields = ({ state, unitCount, grossAreaSqft, stories, recordsSince }: PlannedPlace) => ({
  state,
  unitCount,
  grossAreaSqft,
  stories,
  recordsSince,
});

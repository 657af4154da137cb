import type { Appliance } from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import { notFound } from "../../domain/errors.ts";
import { inspectionTypesOf } from "../../domain/figures/inspection-types.ts";
import { checkPastDay } from "../../domain/past-day.ts";
import type { Property } from "../../domain/property.ts";
import {
  isServicing,
  type NewServiceEvent,
  type ServiceEvent,
  type ServiceEventCorrection,
  totalCostCents,
} from "../../domain/service-event.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import { serviceEventCreated } from "../../wire/webhook-payloads.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type Rescoring, rescoreEach } from "../portfolio/rescore.ts";
import { OutcomeLog } from "./outcomes.ts";
import { extendRecords } from "./service-record.ts";

type Touched = { appliance: Appliance; replaced: boolean };

/**
 * Logs service events and updates what they concern: the components' dates, the validation data, and, when `finish`
 * is called, the scores of every affected appliance.
 */
export class ServiceLog {
  #appliances = new Map<string, { appliance: Appliance; components: Component[] } | undefined>();
  /** By property: the affected appliances, and whether one of their events is a Replacement. */
  #touched = new Map<string, Map<string, Touched>>();
  #moved = new Set<Component>();
  /** The days of the events by property. */
  #days = new Map<string, Day[]>();
  readonly #outcomes: OutcomeLog;

  constructor(private readonly writer: PortfolioWriter) {
    this.#outcomes = new OutcomeLog(writer);
  }

  /** Loads the data of several appliances at once, ahead of their events. */
  async preload(appliances: readonly Appliance[]): Promise<void> {
    const unknown = appliances.filter(({ id }) => !this.#appliances.has(id));
    const ids = unknown.map(({ id }) => id);
    if (ids.length === 0) return;
    const components = Map.groupBy(
      await this.writer.tx.components.ofAppliances(ids),
      ({ applianceId }) => applianceId,
    );
    for (const appliance of unknown)
      this.#appliances.set(appliance.id, { appliance, components: components.get(appliance.id) ?? [] });
  }

  /** Returns an appliance's components if they are loaded. */
  componentsOf(applianceId: string): readonly Component[] | undefined {
    return this.#appliances.get(applianceId)?.components;
  }

  /** Writes one event. Throws not_found or invalid_request, with nothing written. */
  async add(input: NewServiceEvent): Promise<ServiceEvent> {
    const { tx, partner } = this.writer;
    const known = await this.#load(input.applianceId);
    if (!known) throw notFound(`Appliance not found: ${input.applianceId}`);
    const { appliance, components } = known;
    const spokenOf =
      input.componentId === null
        ? components
        : components.filter((component) => component.id === input.componentId);
    if (input.componentId !== null && spokenOf.length === 0)
      throw notFound(`Component not found: ${input.componentId}`);
    checkPastDay("date", input.date, dayOf(tx.now));
    const event: ServiceEvent = {
      ...input,
      inspectionTypes: inspectionTypesOf(this.writer.knowledge, appliance.typeId, input.inspectionTypes),
      voidedAt: null,
      voidReason: null,
      id: tx.newId("serviceEvent"),
      partnerId: partner.id,
      propertyId: appliance.propertyId,
      totalCostCents: totalCostCents(input),
      createdAt: this.writer.rows.nextInstant(),
    };
    await this.writer.insertServiceEvent(event);
    for (const component of spokenOf) this.#moveDates(component, event);
    this.#outcomes.add(event, appliance);
    this.#touch(appliance, event.date, event.eventType === "Replacement");
    if (await this.writer.outbox.isSubscribed("service_event.created")) {
      const name = await this.writer.propertyName(appliance.propertyId);
      await this.writer.outbox.add(serviceEventCreated(event, appliance.typeId, name));
    }
    return event;
  }

  /** Corrects an event's costs, technician or condition. No webhook is sent. */
  async correct(event: ServiceEvent, correction: ServiceEventCorrection): Promise<void> {
    const after = { ...event, ...correction };
    if (
      !("totalCostCents" in correction) &&
      event.totalCostCents === totalCostCents({ ...event, totalCostCents: null })
    )
      after.totalCostCents = totalCostCents({ ...after, totalCostCents: null });
    const known = await this.#load(event.applianceId);
    const { typeId } = known!.appliance;
    const inspectionTypes = inspectionTypesOf(this.writer.knowledge, typeId, after.inspectionTypes);
    const { partsCostCents, laborCostCents, technician, conditionAfter } = after;
    await this.writer.tx.serviceEvents.correct(event.id, {
      partsCostCents,
      laborCostCents,
      totalCostCents: after.totalCostCents,
      technician,
      conditionAfter,
      inspectionTypes,
    });
    this.#touch(known!.appliance, event.date, false);
  }

  /** Stores the outcomes and the components' dates, and scores the affected appliances. */
  async finish(): Promise<void> {
    const { tx, partner } = this.writer;
    const found = await tx.properties.ofIds(partner.id, [...this.#touched.keys()]);
    const properties = new Map(found.map((property) => [property.id, property]));
    const moved = await extendRecords(this.writer, found, this.#days);
    for (const property of moved) properties.set(property.id, property);
    await this.#outcomes.finish();
    for (const component of this.#moved) await tx.components.saveDates(component.id, component);
    await tx.yieldToEventLoop();
    const cause = "history";
    await rescoreEach(
      this.writer,
      moved.map((property) => ({ property, changed: "all", cause })),
    );
    const whole = new Set(moved.map(({ id }) => id));
    const neighbours = [...this.#touched].filter(([propertyId]) => !whole.has(propertyId));
    await this.#rescore(neighbours, properties, false);
    // A replacement announces only the components that it restores, not the changes by other events of the request.
    await this.#rescore([...this.#touched], properties, true);
  }

  /** Scores the appliances that were replaced, or the others. */
  async #rescore(
    touched: readonly (readonly [string, ReadonlyMap<string, Touched>])[],
    properties: ReadonlyMap<string, Property>,
    replaced: boolean,
  ): Promise<void> {
    const rescorings: Rescoring[] = [];
    for (const [propertyId, appliances] of touched) {
      const changed = [...appliances.values()]
        .filter((one) => one.replaced === replaced)
        .map(({ appliance }) => appliance);
      const cause = replaced ? "replacement" : "history";
      if (changed.length > 0) rescorings.push({ property: properties.get(propertyId)!, changed, cause });
    }
    await rescoreEach(this.writer, rescorings);
  }

  async #load(applianceId: string) {
    if (this.#appliances.has(applianceId)) return this.#appliances.get(applianceId);
    const { tx, partner } = this.writer;
    const appliance = await tx.appliances.find(partner.id, applianceId);
    const known = appliance && { appliance, components: await tx.components.ofAppliance(applianceId) };
    this.#appliances.set(applianceId, known);
    return known;
  }

  #moveDates(component: Component, event: ServiceEvent): void {
    const replaced = event.eventType === "Replacement" && event.date > (component.lastReplaced ?? "");
    const serviced = isServicing(event.eventType) && event.date > (component.lastServiced ?? "");
    if (replaced) component.lastReplaced = event.date;
    if (serviced) component.lastServiced = event.date;
    if (replaced || serviced) this.#moved.add(component);
  }

  #touch(appliance: Appliance, day: Day, isReplacement: boolean): void {
    const touched = this.#touched.get(appliance.propertyId) ?? new Map();
    const replaced = touched.get(appliance.id)?.replaced || isReplacement;
    touched.set(appliance.id, { appliance, replaced });
    this.#touched.set(appliance.propertyId, touched);
    const days = this.#days.get(appliance.propertyId);
    if (days) days.push(day);
    else this.#days.set(appliance.propertyId, [day]);
  }
}

import type { Appliance } from "../domain/appliance.ts";
import type { Component } from "../domain/component.ts";
import { notFound } from "../domain/errors.ts";
import { checkPastDay } from "../domain/past-day.ts";
import type { Property } from "../domain/property.ts";
import {
  isServicing,
  type NewServiceEvent,
  type ServiceEvent,
  type ServiceEventCorrection,
  totalCostCents,
} from "../domain/service-event.ts";
import { type Day, dayOf } from "../domain/time.ts";
import { serviceEventCreated } from "../wire/webhooks.ts";
import { OutcomeLog } from "./outcomes.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";
import { rescore } from "./rescore.ts";
import { extendRecord } from "./service-record.ts";

/**
 * Logs service events and moves what they speak of: the dates of components, the validation data, and then the
 * scores of every appliance touched, once, when `finish` is called.
 */
export class ServiceLog {
  #appliances = new Map<string, { appliance: Appliance; components: Component[] } | undefined>();
  /** By property: the appliances that events speak of, and whether one of them is a Replacement. */
  #touched = new Map<string, Map<string, { appliance: Appliance; replaced: boolean }>>();
  #moved = new Set<Component>();
  /** By property, the days of the events. */
  #days = new Map<string, Day[]>();
  readonly #outcomes: OutcomeLog;

  constructor(private readonly writer: PortfolioWriter) {
    this.#outcomes = new OutcomeLog(writer);
  }

  /** Writes one event. Throws not_found or invalid_request, with nothing of it written. */
  async add(input: NewServiceEvent): Promise<ServiceEvent> {
    const { tx, partner } = this.writer;
    const known = await this.#load(input.applianceId);
    if (!known) throw notFound(`Appliance not found: ${input.applianceId}`);
    const { appliance, components } = known;
    const spokenOf =
      input.componentId === null ? components : components.filter((one) => one.id === input.componentId);
    if (input.componentId !== null && spokenOf.length === 0)
      throw notFound(`Component not found: ${input.componentId}`);
    checkPastDay("date", input.date, dayOf(tx.now));
    const event: ServiceEvent = {
      ...input,
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
    if (await this.writer.outbox.wants("service_event.created")) {
      const name = await this.writer.propertyName(appliance.propertyId);
      await this.writer.outbox.add(serviceEventCreated(event, appliance.typeId, name));
    }
    return event;
  }

  /** Puts an event's costs, technician or condition right. Nobody is told: it happened as it did. */
  async correct(event: ServiceEvent, correction: ServiceEventCorrection): Promise<void> {
    const after = { ...event, ...correction };
    if (
      !("totalCostCents" in correction) &&
      event.totalCostCents === totalCostCents({ ...event, totalCostCents: null })
    )
      after.totalCostCents = totalCostCents({ ...after, totalCostCents: null });
    const { partsCostCents, laborCostCents, technician, conditionAfter } = after;
    await this.writer.tx.serviceEvents.correct(event.id, {
      partsCostCents,
      laborCostCents,
      totalCostCents: after.totalCostCents,
      technician,
      conditionAfter,
    });
    const known = await this.#load(event.applianceId);
    this.#touch(known!.appliance, event.date, false);
  }

  /** Stores the outcomes and the components' dates, and scores again what the events speak of. */
  async finish(): Promise<void> {
    const { tx, partner } = this.writer;
    const properties = new Map<string, { property: Property; recordMoved: boolean }>();
    for (const propertyId of this.#touched.keys()) {
      const before = (await tx.properties.find(partner.id, propertyId))!;
      const property = await extendRecord(this.writer, before, this.#days.get(propertyId)!);
      const recordMoved = property.recordsSince !== before.recordsSince;
      properties.set(propertyId, { property, recordMoved });
    }
    await this.#outcomes.finish();
    for (const component of this.#moved) await tx.components.saveDates(component.id, component);
    await tx.giveWay();
    for (const [propertyId, touched] of this.#touched) {
      const { property, recordMoved } = properties.get(propertyId)!;
      if (recordMoved) await rescore(this.writer, property, "all", "history");
      // A replacement announces what it brings back, and nothing of what its neighbours in the request do.
      for (const replaced of recordMoved ? [true] : [false, true]) {
        const appliances = [...touched.values()].filter((one) => one.replaced === replaced);
        if (appliances.length > 0)
          await rescore(
            this.writer,
            property,
            appliances.map(({ appliance }) => appliance),
            replaced ? "replacement" : "history",
          );
      }
    }
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

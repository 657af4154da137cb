import type { Appliance } from "../domain/appliance.ts";
import type { Component } from "../domain/component.ts";
import { notFound } from "../domain/errors.ts";
import { checkPastDay } from "../domain/past-day.ts";
import { scoreProperty } from "../domain/scoring/score.ts";
import {
  isOutcome,
  isServicing,
  type NewServiceEvent,
  type ServiceEvent,
  totalCostCents,
} from "../domain/service-event.ts";
import { addDays, dayOf } from "../domain/time.ts";
import { serviceEventCreated } from "./announcements.ts";
import { loadHistories } from "./histories.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";
import { isReachedByOthers, rescore } from "./rescore.ts";

/**
 * Logs service events and moves what they speak of: the dates of components, the validation data, and then the
 * scores of every appliance touched, once, when `finish` is called.
 */
export class ServiceLog {
  #appliances = new Map<string, { appliance: Appliance; components: Component[] } | undefined>();
  /** By property: the appliances that events speak of, and whether one of them is a Replacement. */
  #touched = new Map<string, Map<string, { appliance: Appliance; replaced: boolean }>>();
  #outcomes: ServiceEvent[] = [];
  /** Of which a pair on one day is a part replaced under warranty. */
  #warranted: ServiceEvent[] = [];
  #moved = new Set<Component>();
  /** By property, the appliances that cascade on to others. */
  #upstream = new Map<string, Appliance[]>();

  constructor(private readonly writer: PortfolioWriter) {}

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
      createdAt: tx.nextInstant(),
    };
    await this.writer.insertServiceEvent(event);
    for (const component of spokenOf) this.#moveDates(component, event);
    if (isOutcome(event.eventType)) this.#outcomes.push(event);
    if (event.eventType === "Replacement" || event.eventType === "Warranty Claim")
      this.#warranted.push(event);
    this.#touch(appliance, event);
    if (await this.writer.outbox.wants("service_event.created")) {
      const name = await this.writer.propertyName(appliance.propertyId);
      await this.writer.outbox.add(serviceEventCreated(event, appliance.typeId, name));
    }
    return event;
  }

  /** Stores the outcomes and the components' dates, and scores again what the events speak of. */
  async finish(): Promise<void> {
    const { tx, partner } = this.writer;
    for (const event of this.#outcomes) await this.#keepOutcome(event, event.componentId);
    for (const event of this.#warranted) await this.#keepWarranted(event);
    for (const component of this.#moved) await tx.components.saveDates(component.id, component);
    for (const [propertyId, touched] of this.#touched) {
      const property = (await tx.properties.find(partner.id, propertyId))!;
      // A replacement announces what it brings back, and nothing of what its neighbours in the request do.
      for (const replaced of [false, true]) {
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

  #touch(appliance: Appliance, event: ServiceEvent): void {
    const touched = this.#touched.get(appliance.propertyId) ?? new Map();
    const replaced = touched.get(appliance.id)?.replaced || event.eventType === "Replacement";
    touched.set(appliance.id, { appliance, replaced });
    this.#touched.set(appliance.propertyId, touched);
  }

  /**
   * Keeps an outcome of each Warranty Claim that the event makes a pair with: a claim and a replacement of one
   * component, or of the whole appliance, on one day, whichever was logged first.
   */
  async #keepWarranted({ applianceId, date }: ServiceEvent): Promise<void> {
    const { serviceEvents } = this.writer.tx;
    const claims = await serviceEvents.ofDay(applianceId, date, "Warranty Claim");
    if (claims.length === 0) return;
    for (const replacement of await serviceEvents.ofDay(applianceId, date, "Replacement"))
      for (const claim of claims) {
        const ids = new Set([claim.componentId, replacement.componentId].filter((id) => id !== null));
        if (ids.size < 2) await this.#keepOutcome(claim, [...ids][0] ?? null);
      }
  }

  /**
   * What stood on the day before a failure or a replacement, from the history known by then, of one component or of
   * all that the appliance has.
   */
  async #keepOutcome(event: ServiceEvent, componentId: string | null): Promise<void> {
    const { tx, partner, knowledge } = this.writer;
    const { appliance } = (await this.#load(event.applianceId))!;
    const property = (await tx.properties.find(partner.id, appliance.propertyId))!;
    const before = addDays(event.date, -1);
    const states = new Map([[property.id, property.state]]);
    const context = await this.#contextOf(appliance);
    const { history, components } = (await loadHistories(tx, knowledge, states, context, before)).get(
      property.id,
    )!;
    const scores = scoreProperty(knowledge, history, before, { only: new Set([appliance.id]) });
    for (const component of components) {
      const score = scores.get(component.id);
      if (!score || (componentId !== null && componentId !== component.id)) continue;
      await tx.serviceEvents.insertOutcome({
        serviceEventId: event.id,
        componentId: component.id,
        partnerId: partner.id,
        defId: component.defId,
        eventType: event.eventType,
        date: event.date,
        ageYears: score.ageYears,
        probability: score.probability,
        riskScore: Math.round(score.riskScore * 100),
        modelVersion: knowledge.model.version,
        createdAt: event.createdAt,
      });
    }
  }

  /** The appliances to read for scoring one: itself, and those of its property that cascade on to it. */
  async #contextOf(appliance: Appliance): Promise<Appliance[]> {
    const { tx, knowledge } = this.writer;
    const { id, typeId, propertyId } = appliance;
    if (!isReachedByOthers(knowledge, typeId)) return [appliance];
    let upstream = this.#upstream.get(propertyId);
    if (!upstream) {
      const all = await tx.appliances.ofProperty(propertyId);
      upstream = all.filter((one) => knowledge.cascadingTypes.has(one.typeId));
      this.#upstream.set(propertyId, upstream);
    }
    return [appliance, ...upstream.filter((one) => one.id !== id)];
  }
}

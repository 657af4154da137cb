import type { Component } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { usdFromCents, usdOrNull } from "../domain/money.ts";
import type { Partner, WebhookEvent } from "../domain/partner.ts";
import { projectionOf } from "../domain/projections.ts";
import type { Property } from "../domain/property.ts";
import type { BrandTier, RiskTier } from "../domain/scoring/types.ts";
import type { ServiceEvent } from "../domain/service-event.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { Tx } from "../store/store.ts";

/** What a partner is told: the event's name, its data, and the component whose deliveries keep their order. */
export type Announcement = {
  event: WebhookEvent;
  data: Record<string, unknown>;
  orderKey?: string;
};

/** Writes announcements into a partner's outbox, in the transaction of the change that they speak of. */
export class Outbox {
  #wanted: ReadonlySet<string> | "all" | "none" | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly partner: Partner,
  ) {}

  /** Whether the partner has a receiver that wants the event. Without one nothing is written. */
  async wants(event: WebhookEvent): Promise<boolean> {
    this.#wanted ??= await this.#loadWanted();
    if (typeof this.#wanted === "string") return this.#wanted === "all";
    return this.#wanted.has(event);
  }

  /** Returns the delivery's id, or undefined when nobody is to be told. The text written is what every attempt sends. */
  async add(announcement: Announcement): Promise<string | undefined> {
    return (await this.wants(announcement.event)) ? await this.addUnfiltered(announcement) : undefined;
  }

  /** As `add`, whatever the partner's receiver wants. */
  async addUnfiltered({ event, data, orderKey }: Announcement): Promise<string> {
    const id = this.tx.newDeliveryId();
    await this.tx.deliveries.insert({
      id,
      partnerId: this.partner.id,
      event,
      orderKey: orderKey ?? null,
      requestId: this.tx.requestId,
      body: eventBody(event, data, this.partner, this.tx.now),
      createdAt: this.tx.now,
    });
    this.tx.outboxChanged(this.partner.id);
    return id;
  }

  async #loadWanted(): Promise<ReadonlySet<string> | "all" | "none"> {
    const receiver = await this.tx.partners.findReceiver(this.partner.id);
    if (!receiver?.url) return "none";
    return receiver.events ? new Set(receiver.events) : "all";
  }
}

/** The envelope of every event, as the text that is sent. */
export function eventBody(
  event: WebhookEvent,
  data: Record<string, unknown>,
  partner: Partner,
  now: Instant,
): string {
  return JSON.stringify({
    event,
    timestamp: toIso(now),
    partner_id: partner.id,
    partner: partner.name,
    version: "v1",
    data,
  });
}

export function propertyCreated(property: Property): Announcement {
  const { id, address, city, state, source } = property;
  return { event: "property.created", data: { property_id: id, address, city, state, source } };
}

export function applianceCreated(appliance: {
  id: string;
  typeId: string;
  propertyId: string;
}): Announcement {
  return {
    event: "appliance.created",
    data: { appliance_id: appliance.id, type_id: appliance.typeId, property_id: appliance.propertyId },
  };
}

export function serviceEventCreated(event: ServiceEvent, typeId: string, propertyName: string): Announcement {
  return {
    event: "service_event.created",
    data: {
      event_id: event.id,
      event_type: event.eventType,
      appliance_id: event.applianceId,
      appliance_type: typeId,
      property_id: event.propertyId,
      property_name: propertyName,
      total_cost: usdOrNull(event.totalCostCents),
      date: event.date,
    },
  };
}

const TIER_EVENTS = {
  CRITICAL: "component.critical",
  WARNING: "component.warning",
  GOOD: "component.recovered",
} as const satisfies Record<RiskTier, WebhookEvent>;

export const tierEvent = (tier: RiskTier): WebhookEvent => TIER_EVENTS[tier];

export function tierChanged(
  knowledge: Knowledge,
  component: Component,
  appliance: { typeId: string; brandTier: BrandTier },
  propertyName: string,
  previousTier: RiskTier,
): Announcement {
  const definition = knowledge.component(component.defId);
  return {
    event: tierEvent(component.riskTier),
    orderKey: component.id,
    data: {
      component_id: component.id,
      component_name: definition.name,
      component_def_id: component.defId,
      appliance_id: component.applianceId,
      appliance_type: appliance.typeId,
      property_id: component.propertyId,
      property_name: propertyName,
      risk_score: component.riskScore / 100,
      risk_tier: component.riskTier,
      previous_tier: previousTier,
      confidence: component.confidence,
      proactive_cost: usdFromCents(definition.proactiveCents),
      reactive_cost: usdFromCents(definition.reactiveCents),
      projected_failure_year: projectionOf(knowledge, component, appliance.brandTier).projectedFailureYear,
    },
  };
}

import type { Appliance } from "../domain/appliance.ts";
import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { Partner, WebhookEvent } from "../domain/partner.ts";
import { countryOf, subdivisionOf } from "../domain/places/place.ts";
import type { Action } from "../domain/planning/action.ts";
import type { Property } from "../domain/property.ts";
import { projectionOfStoredScore } from "../domain/scoring/score-projections.ts";
import type { RiskTier } from "../domain/scoring/scoring-types.ts";
import type { RiskSummary, SensorEvent } from "../domain/sensor-event.ts";
import type { ServiceEvent } from "../domain/service-event.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { actionFields, serializeAction } from "./action-schema.ts";
import { appliance } from "./appliance-schema.ts";
import { component } from "./component-schema.ts";
import { serializeCosts } from "./costs-schema.ts";
import type { JsonOf, SchemaType } from "./definition/api-schema-type.ts";
import { jsonScoreFromHundredths, jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  idSchema,
  instantSchema,
  objectSchema,
  recordSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { partnerName } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { riskTier } from "./score-schema.ts";
import { riskSummary, sensorEventFields, serializeRiskSummary } from "./sensor-event-schema.ts";
import { serviceEvent } from "./service-event-schema.ts";

/* The payloads of webhooks: the data of each event, and the envelope around it. */

const propertyData = objectSchema({
  property_id: idSchema("P", "The property"),
  address: property.fields.address,
  city: property.fields.city,
  country: property.fields.country,
  state: property.fields.state,
  source: property.fields.source,
});

const applianceData = objectSchema({
  appliance_id: idSchema("A", "The appliance"),
  type_id: appliance.fields.type_id,
  property_id: appliance.fields.property_id,
});

const serviceEventData = objectSchema({
  event_id: idSchema("SE", "The service event"),
  event_type: serviceEvent.fields.event_type,
  appliance_id: serviceEvent.fields.appliance_id,
  appliance_type: component.fields.appliance_type,
  property_id: component.fields.property_id,
  property_name: component.fields.property_name,
  total_cost: serviceEvent.fields.total_cost,
  date: serviceEvent.fields.date,
});

const tierData = objectSchema({
  component_id: component.fields.component_id,
  component_name: component.fields.component_name,
  component_def_id: component.fields.component_def_id,
  appliance_id: component.fields.appliance_id,
  appliance_type: component.fields.appliance_type,
  property_id: component.fields.property_id,
  property_name: component.fields.property_name,
  risk_score: component.fields.risk_score,
  risk_tier: component.fields.risk_tier,
  previous_tier: riskTier.describedAs("The tier in the previous notification", "WARNING"),
  confidence: component.fields.confidence,
  proactive_cost: component.fields.proactive_cost,
  cost_basis: component.fields.cost_basis,
  reactive_cost: component.fields.reactive_cost,
  projected_failure_year: component.fields.projected_failure_year,
  ...actionFields,
});

const readingData = objectSchema({
  event_id: sensorEventFields.event_id,
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
  component_id: sensorEventFields.component_id,
  sensor_id: sensorEventFields.sensor_id,
  metric: sensorEventFields.metric.orNull(),
  value: sensorEventFields.value.orNull(),
  unit: sensorEventFields.unit,
  recorded_at: sensorEventFields.recorded_at,
});

const smartData = objectSchema({
  event_id: sensorEventFields.event_id,
  event_type: sensorEventFields.event_type,
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
  risk_summary: riskSummary.describedAs("Result of rescoring the appliance"),
});

const testData = objectSchema({
  message: textSchema("The administrator's message", "This is a test of your webhook endpoint."),
  requested_by: textSchema("Who requested the test", "Jane"),
});

/** The data of every event. */
const webhookData = {
  "component.critical": tierData,
  "component.warning": tierData,
  "component.recovered": tierData,
  "service_event.created": serviceEventData,
  "property.created": propertyData,
  "appliance.created": applianceData,
  "sensor.received": readingData,
  "sensor.smart": smartData,
  "sensor.smart.processed": smartData,
  "webhook.test": testData,
} as const satisfies Record<WebhookEvent, object>;

/** The schema of an event's payload: its data in the envelope. */
export const webhookPayloadSchema = (event: WebhookEvent) =>
  recordSchema(`${event.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`, {
    event: enumSchema([event], "The event"),
    timestamp: instantSchema("When the delivery was created"),
    partner_id: idSchema("PARTNER", "The partner's ID"),
    partner: partnerName,
    version: enumSchema(["v1"], "Version of the envelope"),
    data: (webhookData[event] as SchemaType<unknown>).describedAs("The event data"),
  });

/** The condition under which each event is sent. */
export const WEBHOOK_DESCRIPTIONS: Readonly<Record<WebhookEvent, string>> = {
  "component.critical": "Component became CRITICAL (after the 03:00 UTC snapshot or a smart sensor event)",
  "component.warning": "Component became WARNING, from either GOOD or CRITICAL",
  "component.recovered": "Component became GOOD again",
  "service_event.created": "A service event was created",
  "property.created": "A property was created (by any source)",
  "appliance.created": "An appliance was created",
  "sensor.received": "A meter reading was received by POST /v1/meter-event",
  "sensor.smart": "A smart sensor event was received by POST /v1/meter-event/smart/v2",
  "sensor.smart.processed": "A smart sensor event was received by the legacy POST /v1/meter-event/smart",
  "webhook.test": "Test event sent by an administrator",
};

/** The name of an event with its data. */
export type WebhookMessage = {
  [E in WebhookEvent]: { event: E; data: JsonOf<(typeof webhookData)[E]> };
}[WebhookEvent];

const serializePropertyData = propertyData.serializer((property: Property) => ({
  property_id: property.id,
  address: property.address,
  city: property.city,
  country: countryOf(property.state),
  state: subdivisionOf(property.state),
  source: property.source,
}));

export const serializePropertyCreatedMessage = (property: Property): WebhookMessage => ({
  event: "property.created",
  data: serializePropertyData(property),
});

type CreatedAppliance = Pick<Appliance, "id" | "typeId" | "propertyId">;
const serializeApplianceData = applianceData.serializer((appliance: CreatedAppliance) => ({
  appliance_id: appliance.id,
  type_id: appliance.typeId,
  property_id: appliance.propertyId,
}));

export const serializeApplianceCreatedMessage = (appliance: CreatedAppliance): WebhookMessage => ({
  event: "appliance.created",
  data: serializeApplianceData(appliance),
});

const serializeServiceEventData = serviceEventData.serializer(
  (event: ServiceEvent, typeId: string, propertyName: string) => ({
    event_id: event.id,
    event_type: event.eventType,
    appliance_id: event.applianceId,
    appliance_type: typeId,
    property_id: event.propertyId,
    property_name: propertyName,
    total_cost: jsonUsdFromCentsOrNull(event.totalCostCents),
    date: event.date,
  }),
);

export const serializeServiceEventCreatedMessage = (
  event: ServiceEvent,
  typeId: string,
  propertyName: string,
): WebhookMessage => ({
  event: "service_event.created",
  data: serializeServiceEventData(event, typeId, propertyName),
});

const TIER_EVENTS = {
  CRITICAL: "component.critical",
  WARNING: "component.warning",
  GOOD: "component.recovered",
} as const satisfies Record<RiskTier, WebhookEvent>;

export const jsonWebhookEventNameOfTier = (tier: RiskTier) => TIER_EVENTS[tier];

const serializeTierData = tierData.serializer(
  (prices: PriceList, component: PlacedComponent, action: Action, previousTier: RiskTier) => {
    const { knowledge } = prices;
    const { proactive_cost, reactive_cost, cost_basis } = serializeCosts(prices.ofComponent(component));
    return {
      component_id: component.id,
      component_name: knowledge.component(component.defId).name,
      component_def_id: component.defId,
      appliance_id: component.applianceId,
      appliance_type: component.typeId,
      property_id: component.propertyId,
      property_name: component.propertyName,
      risk_score: jsonScoreFromHundredths(component.riskScore),
      risk_tier: component.riskTier,
      previous_tier: previousTier,
      confidence: component.confidence,
      proactive_cost,
      reactive_cost,
      cost_basis,
      projected_failure_year: projectionOfStoredScore(knowledge, component, component.brandTier)
        .projectedFailureYear,
      ...serializeAction(action),
    };
  },
);

export const serializeTierChangedMessage = (
  ...change: Parameters<typeof serializeTierData>
): WebhookMessage => ({
  event: jsonWebhookEventNameOfTier(change[1].riskTier),
  data: serializeTierData(...change),
});

const serializeMeterReadingData = readingData.serializer((event: SensorEvent) => ({
  event_id: event.id,
  property_id: event.propertyId,
  appliance_id: event.applianceId,
  component_id: event.componentId,
  sensor_id: event.sensorId,
  metric: event.metric,
  value: event.value,
  unit: event.unit,
  recorded_at: isoTextOfInstant(event.recordedAt),
}));

export const serializeReadingReceivedMessage = (event: SensorEvent): WebhookMessage => ({
  event: "sensor.received",
  data: serializeMeterReadingData(event),
});

const serializeSmartEventData = smartData.serializer((event: SensorEvent, summary: RiskSummary) => ({
  event_id: event.id,
  event_type: event.eventType!,
  property_id: event.propertyId,
  appliance_id: event.applianceId,
  risk_summary: serializeRiskSummary(summary),
}));

export const serializeSmartEventReceivedMessage = (
  name: "sensor.smart" | "sensor.smart.processed",
  event: SensorEvent,
  summary: RiskSummary,
): WebhookMessage => ({ event: name, data: serializeSmartEventData(event, summary) });

const serializeTestEventData = testData.serializer((message: string, requestedBy: string) => ({
  message,
  requested_by: requestedBy,
}));

export const serializeWebhookTestMessage = (message: string, requestedBy: string): WebhookMessage => ({
  event: "webhook.test",
  data: serializeTestEventData(message, requestedBy),
});

/** Returns the payload of an event as JSON text. */
export function serializeWebhookEvent(
  { event, data }: WebhookMessage,
  partner: Partner,
  now: Instant,
): string {
  return JSON.stringify({
    event,
    timestamp: isoTextOfInstant(now),
    partner_id: partner.id,
    partner: partner.name,
    version: "v1",
    data,
  });
}

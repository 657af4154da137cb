import type { Appliance } from "../domain/appliance.ts";
import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { invalid } from "../domain/errors.ts";
import type { Property } from "../domain/property.ts";
import type { MeterEvent, RiskSummary, SensorEvent, Severity, SmartEvent } from "../domain/sensor-event.ts";
import { instantFromText } from "../domain/time.ts";
import { appliance } from "./appliance-schema.ts";
import { componentDefId } from "./component-name-schema.ts";
import { component, serializeComponent } from "./component-schema.ts";
import {
  body,
  documentedAs,
  type InputOf,
  input,
  nested,
  nullable,
  required,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import * as constraint from "./definition/schema-constraints.ts";
import {
  alwaysTrue,
  enumOf,
  flag,
  id,
  instant,
  list,
  number,
  object,
  openEnum,
  text,
  textList,
  whole,
} from "./definition/schema-field-types.ts";
import { forPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";

const EVENT_TYPE = /^[a-z0-9]+(_[a-z0-9]+)*$/;

/** The fields of a sensor event, in requests and in responses. */
export const sensorEventFields = {
  event_id: id("PE", "The sensor event"),
  property_id: id("P", "The property"),
  appliance_id: id("A", "The appliance"),
  component_id: id("C", "The component, if specified").orNull(),
  event_type: openEnum(
    "SmartEventType",
    { pattern: EVENT_TYPE.source },
    "Type of event. Any other text in snake_case is stored and sent to your webhook endpoint, but has no effect on scores",
    "water_leak",
  ),
  severity: enumOf<Severity>(
    ["low", "medium", "high", "critical"],
    "Severity reported by the sensor; defaults to medium",
    "high",
  ),
  sensor_id: text("The sensor's ID", "leak-4-kitchen").orNull(),
  metric: text("The measured quantity", "temperature_f"),
  value: number("The reading", 148.2),
  unit: text("Unit of measurement", "F").orNull(),
  notes: text("Free text", "Heard by the tenant of 4B").orNull(),
  recorded_at: instant("When it was measured"),
};

const received = object({
  event_id: sensorEventFields.event_id,
  received: alwaysTrue("Always true"),
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
});

export const serializeReceivedEvent = received.serializer((event: SensorEvent) => ({
  event_id: event.id,
  received: true,
  property_id: event.propertyId,
  appliance_id: event.applianceId,
}));
export const receivedReply = forPartner(received);

/** The result of rescoring an appliance. */
export const riskSummary = object({
  components_scored: whole("Components rescored by the event", 6),
  critical_count: whole("CRITICAL components among them", 2),
  warning_count: whole("WARNING components among them", 1),
});

export const serializeRiskSummary = riskSummary.serializer(({ scored, critical, warning }: RiskSummary) => ({
  components_scored: scored,
  critical_count: critical,
  warning_count: warning,
}));

const smartEventResult = object({
  event_id: sensorEventFields.event_id,
  event_type: sensorEventFields.event_type,
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
  property_created: flag("Whether this event created the property", false),
  appliance_created: flag("Whether this event created the appliance", false),
  affected_components: list("The components affected by the event, with their new scores", component),
  risk_summary: riskSummary.describedAs("Result of rescoring the appliance"),
  warnings: textList("Stored values that have no effect on scores"),
});

/** The result of a smart sensor event. */
type SmartEventResult = {
  event: SensorEvent;
  property: Property;
  appliance: Appliance;
  propertyCreated: boolean;
  applianceCreated: boolean;
  affected: readonly PlacedComponent[];
  summary: RiskSummary;
  warnings: readonly string[];
};

export const serializeSmartEventResult = smartEventResult.serializer(
  (prices: PriceList, outcome: SmartEventResult) => ({
    event_id: outcome.event.id,
    event_type: outcome.event.eventType!,
    property_id: outcome.property.id,
    appliance_id: outcome.appliance.id,
    property_created: outcome.propertyCreated,
    appliance_created: outcome.applianceCreated,
    affected_components: outcome.affected.map((component) => serializeComponent(prices, component, null)),
    risk_summary: serializeRiskSummary(outcome.summary),
    warnings: outcome.warnings,
  }),
);
export const smartEventResultReply = forPartner(smartEventResult);

export const meterEvent = input("MeterEvent", {
  appliance_id: required(constraint.idText, sensorEventFields.appliance_id),
  metric: required(constraint.requiredLine, sensorEventFields.metric),
  value: required(constraint.reading, sensorEventFields.value),
  component_id: nullable(constraint.idText, sensorEventFields.component_id),
  sensor_id: nullable(constraint.line, sensorEventFields.sensor_id),
  unit: nullable(constraint.line, sensorEventFields.unit),
  recorded_at: nullable(constraint.instant, sensorEventFields.recorded_at),
});

const eventFields = {
  event_type: documentedAs(
    required(constraint.requiredLine, sensorEventFields.event_type),
    sensorEventFields.event_type,
  ),
  severity: nullable(constraint.severity, sensorEventFields.severity),
  component_def_id: nullable(constraint.idText, componentDefId),
  component_id: nullable(constraint.idText, sensorEventFields.component_id),
  recorded_at: nullable(constraint.instant, sensorEventFields.recorded_at),
  sensor_id: nullable(constraint.line, sensorEventFields.sensor_id),
  metric: nullable(constraint.line, sensorEventFields.metric),
  value: nullable(constraint.reading, sensorEventFields.value),
  unit: nullable(constraint.line, sensorEventFields.unit),
  notes: nullable(constraint.longText, sensorEventFields.notes),
} as const;

const propertyReference = {
  property_id: nullable(constraint.idText, sensorEventFields.property_id),
  partner_property_id: nullable(constraint.line, property.fields.partner_property_id),
  name: nullable(constraint.line, property.fields.name),
  address: nullable(constraint.line, property.fields.address),
  city: nullable(constraint.line, property.fields.city),
  country: nullable(constraint.country, property.fields.country),
  state: nullable(constraint.state, property.fields.state),
  zip: nullable(constraint.zip, property.fields.zip),
  unit_count: nullable(constraint.unitCount, property.fields.unit_count),
} as const;

const applianceReference = {
  appliance_id: nullable(constraint.idText, sensorEventFields.appliance_id),
  serial: nullable(constraint.line, appliance.fields.serial),
  type_id: nullable(constraint.line, appliance.fields.type_id),
  install_year: nullable(constraint.year, appliance.fields.install_year),
  brand: nullable(constraint.line, appliance.fields.brand),
  model: nullable(constraint.line, appliance.fields.model),
  unit_id: nullable(constraint.idText, appliance.fields.unit_id),
} as const;

export const smartEvent = input("SmartEvent", {
  ...eventFields,
  property: nested(
    body(propertyReference),
    "The property, by its ID, by your reference, or by the fields required to create it",
  ),
  appliance: nested(
    body(applianceReference),
    "The appliance, by its ID, by its serial number, or by the fields required to create it",
  ),
});

/** The legacy format, with the property and appliance fields at the top level. */
export const flatSmartEvent = input("FlatSmartEvent", {
  ...eventFields,
  ...propertyReference,
  ...applianceReference,
});

/** Reads a meter reading. Throws invalid_request. */
export function parseMeterEventJson(given: unknown): MeterEvent {
  const json = meterEvent.parse(given);
  return {
    applianceId: json.appliance_id.trim(),
    componentId: schemaTextOrNull(json.component_id),
    sensorId: schemaTextOrNull(json.sensor_id),
    metric: json.metric.trim(),
    value: json.value,
    unit: schemaTextOrNull(json.unit),
    recordedAt: instantOrNull(json.recorded_at),
  };
}

/** Reads a smart event. Throws invalid_request. */
export function parseSmartEventJson(given: unknown): SmartEvent {
  const json = smartEvent.parse(given);
  return toSmartEvent(json, json.property ?? {}, json.appliance ?? {});
}

/** Reads a smart event whose appliance is given by top-level fields. Throws invalid_request. */
export function parseFlatSmartEventJson(given: unknown): SmartEvent {
  const json = flatSmartEvent.parse(given);
  return toSmartEvent(json, json, json);
}

function toSmartEvent(
  json: InputOf<typeof eventFields>,
  property: InputOf<typeof propertyReference>,
  appliance: InputOf<typeof applianceReference>,
): SmartEvent {
  const eventType = json.event_type.trim();
  if (!EVENT_TYPE.test(eventType) || eventType.length > 64) {
    const message = "must be text in snake_case of at most 64 characters";
    throw invalid(`event_type ${message}`, [{ field: "event_type", message }]);
  }
  return {
    eventType,
    severity: json.severity ?? "medium",
    componentDefId: schemaTextOrNull(json.component_def_id),
    componentId: schemaTextOrNull(json.component_id),
    recordedAt: instantOrNull(json.recorded_at),
    sensorId: schemaTextOrNull(json.sensor_id),
    metric: schemaTextOrNull(json.metric),
    value: json.value ?? null,
    unit: schemaTextOrNull(json.unit),
    notes: schemaTextOrNull(json.notes),
    property: {
      propertyId: schemaTextOrNull(property.property_id),
      partnerPropertyId: schemaTextOrNull(property.partner_property_id),
      name: schemaTextOrNull(property.name),
      address: schemaTextOrNull(property.address),
      city: schemaTextOrNull(property.city),
      country: schemaTextOrNull(property.country),
      state: schemaTextOrNull(property.state),
      zip: schemaTextOrNull(property.zip),
      unitCount: property.unit_count ?? null,
    },
    appliance: {
      applianceId: schemaTextOrNull(appliance.appliance_id),
      serial: schemaTextOrNull(appliance.serial),
      typeId: schemaTextOrNull(appliance.type_id),
      installYear: appliance.install_year ?? null,
      brand: schemaTextOrNull(appliance.brand),
      model: schemaTextOrNull(appliance.model),
      unitId: schemaTextOrNull(appliance.unit_id),
    },
  };
}

const instantOrNull = (text: string | null | undefined) => (text ? instantFromText(text)! : null);

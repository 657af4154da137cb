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
import * as constraint from "./definition/api-schema-constraints.ts";
import {
  bodySchema,
  documentedSchema,
  type InputOf,
  inputSchema,
  nestedFieldSchema,
  nullableSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import {
  alwaysTrueSchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  openEnumSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { property } from "./property-schema.ts";

const EVENT_TYPE = /^[a-z0-9]+(_[a-z0-9]+)*$/;

/** The fields of a sensor event, in requests and in responses. */
export const sensorEventFields = {
  event_id: idSchema("PE", "The sensor event"),
  property_id: idSchema("P", "The property"),
  appliance_id: idSchema("A", "The appliance"),
  component_id: idSchema("C", "The component, if specified").orNull(),
  event_type: openEnumSchema(
    "SmartEventType",
    { pattern: EVENT_TYPE.source },
    "Type of event. Any other text in snake_case is stored and sent to your webhook endpoint, but has no effect on scores",
    "water_leak",
  ),
  severity: enumSchema<Severity>(
    ["low", "medium", "high", "critical"],
    "Severity reported by the sensor; defaults to medium",
    "high",
  ),
  sensor_id: textSchema("The sensor's ID", "leak-4-kitchen").orNull(),
  metric: textSchema("The measured quantity", "temperature_f"),
  value: numberSchema("The reading", 148.2),
  unit: textSchema("Unit of measurement", "F").orNull(),
  notes: textSchema("Free text", "Heard by the tenant of 4B").orNull(),
  recorded_at: instantSchema("When it was measured"),
};

const received = objectSchema({
  event_id: sensorEventFields.event_id,
  received: alwaysTrueSchema("Always true"),
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
});

export const serializeReceivedEvent = received.serializer((event: SensorEvent) => ({
  event_id: event.id,
  received: true,
  property_id: event.propertyId,
  appliance_id: event.applianceId,
}));
export const receivedReply = schemaWithPartner(received);

/** The result of rescoring an appliance. */
export const riskSummary = objectSchema({
  components_scored: wholeNumberSchema("Components rescored by the event", 6),
  critical_count: wholeNumberSchema("CRITICAL components among them", 2),
  warning_count: wholeNumberSchema("WARNING components among them", 1),
});

export const serializeRiskSummary = riskSummary.serializer(({ scored, critical, warning }: RiskSummary) => ({
  components_scored: scored,
  critical_count: critical,
  warning_count: warning,
}));

const smartEventResult = objectSchema({
  event_id: sensorEventFields.event_id,
  event_type: sensorEventFields.event_type,
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
  property_created: flagSchema("Whether this event created the property", false),
  appliance_created: flagSchema("Whether this event created the appliance", false),
  affected_components: listSchema("The components affected by the event, with their new scores", component),
  risk_summary: riskSummary.describedAs("Result of rescoring the appliance"),
  warnings: textListSchema("Stored values that have no effect on scores"),
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
export const smartEventResultReply = schemaWithPartner(smartEventResult);

export const meterEvent = inputSchema("MeterEvent", {
  appliance_id: requiredSchema(constraint.idText, sensorEventFields.appliance_id),
  metric: requiredSchema(constraint.requiredLine, sensorEventFields.metric),
  value: requiredSchema(constraint.reading, sensorEventFields.value),
  component_id: nullableSchema(constraint.idText, sensorEventFields.component_id),
  sensor_id: nullableSchema(constraint.line, sensorEventFields.sensor_id),
  unit: nullableSchema(constraint.line, sensorEventFields.unit),
  recorded_at: nullableSchema(constraint.instant, sensorEventFields.recorded_at),
});

const eventFields = {
  event_type: documentedSchema(
    requiredSchema(constraint.requiredLine, sensorEventFields.event_type),
    sensorEventFields.event_type,
  ),
  severity: nullableSchema(constraint.severity, sensorEventFields.severity),
  component_def_id: nullableSchema(constraint.idText, componentDefId),
  component_id: nullableSchema(constraint.idText, sensorEventFields.component_id),
  recorded_at: nullableSchema(constraint.instant, sensorEventFields.recorded_at),
  sensor_id: nullableSchema(constraint.line, sensorEventFields.sensor_id),
  metric: nullableSchema(constraint.line, sensorEventFields.metric),
  value: nullableSchema(constraint.reading, sensorEventFields.value),
  unit: nullableSchema(constraint.line, sensorEventFields.unit),
  notes: nullableSchema(constraint.longText, sensorEventFields.notes),
} as const;

const propertyReference = {
  property_id: nullableSchema(constraint.idText, sensorEventFields.property_id),
  partner_property_id: nullableSchema(constraint.line, property.fields.partner_property_id),
  name: nullableSchema(constraint.line, property.fields.name),
  address: nullableSchema(constraint.line, property.fields.address),
  city: nullableSchema(constraint.line, property.fields.city),
  country: nullableSchema(constraint.country, property.fields.country),
  state: nullableSchema(constraint.state, property.fields.state),
  zip: nullableSchema(constraint.zip, property.fields.zip),
  unit_count: nullableSchema(constraint.unitCount, property.fields.unit_count),
} as const;

const applianceReference = {
  appliance_id: nullableSchema(constraint.idText, sensorEventFields.appliance_id),
  serial: nullableSchema(constraint.line, appliance.fields.serial),
  type_id: nullableSchema(constraint.line, appliance.fields.type_id),
  install_year: nullableSchema(constraint.year, appliance.fields.install_year),
  brand: nullableSchema(constraint.line, appliance.fields.brand),
  model: nullableSchema(constraint.line, appliance.fields.model),
  unit_id: nullableSchema(constraint.idText, appliance.fields.unit_id),
} as const;

export const smartEvent = inputSchema("SmartEvent", {
  ...eventFields,
  property: nestedFieldSchema(
    bodySchema(propertyReference),
    "The property, by its ID, by your reference, or by the fields required to create it",
  ),
  appliance: nestedFieldSchema(
    bodySchema(applianceReference),
    "The appliance, by its ID, by its serial number, or by the fields required to create it",
  ),
});

/** The legacy format, with the property and appliance fields at the top level. */
export const flatSmartEvent = inputSchema("FlatSmartEvent", {
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

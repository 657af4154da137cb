import { type } from "arktype";
import { invalid } from "../domain/errors.ts";
import type { Severity } from "../domain/sensor-event.ts";
import { type Instant, parseInstant } from "../domain/time.ts";
import { check, shape, textOrNull } from "./check.ts";
import {
  idText,
  instant,
  line,
  longText,
  reading,
  requiredLine,
  severity,
  unitCount,
  year,
  zip,
} from "./fields.ts";

export const meterEventShape = shape(
  type({
    appliance_id: idText,
    metric: requiredLine,
    value: reading,
    "component_id?": idText.or("null"),
    "sensor_id?": line.or("null"),
    "unit?": line.or("null"),
    "recorded_at?": instant.or("null"),
  }),
  ["appliance_id", "metric", "value"],
);

const happening = {
  event_type: requiredLine,
  "severity?": severity.or("null"),
  "component_def_id?": idText.or("null"),
  "component_id?": idText.or("null"),
  "recorded_at?": instant.or("null"),
  "sensor_id?": line.or("null"),
  "metric?": line.or("null"),
  "value?": reading.or("null"),
  "unit?": line.or("null"),
  "notes?": longText.or("null"),
} as const;

const propertyReference = {
  "property_id?": idText.or("null"),
  "partner_property_id?": line.or("null"),
  "name?": line.or("null"),
  "address?": line.or("null"),
  "city?": line.or("null"),
  "state?": type("string <= 8").describe("a US state's abbreviation, such as NY").or("null"),
  "zip?": zip.or("null"),
  "unit_count?": unitCount.or("null"),
} as const;

const applianceReference = {
  "appliance_id?": idText.or("null"),
  "serial?": line.or("null"),
  "type_id?": line.or("null"),
  "install_year?": year.or("null"),
  "brand?": line.or("null"),
  "model?": line.or("null"),
  "unit_id?": idText.or("null"),
} as const;

// Without a required field, a list would pass for an object.
const isNoList = (value: object) => !Array.isArray(value);
const propertyReferenceType = type(propertyReference).narrow(isNoList).describe("an object");
const applianceReferenceType = type(applianceReference).narrow(isNoList).describe("an object");

export const smartEventShape = shape(
  type({
    ...happening,
    "property?": propertyReferenceType.or("null"),
    "appliance?": applianceReferenceType.or("null"),
  }),
  ["event_type"],
);

/** The older form: the fields of property and appliance at the top. */
export const flatSmartEventShape = shape(
  type({ ...happening, ...propertyReference, ...applianceReference }),
  ["event_type"],
);

export type MeterEvent = {
  applianceId: string;
  componentId: string | null;
  sensorId: string | null;
  metric: string;
  value: number;
  unit: string | null;
  /** Null for the moment of its arrival. */
  recordedAt: Instant | null;
};

/** How a sensor provider names a property: by an id, or by what is needed to register it. */
export type PropertyReference = {
  propertyId: string | null;
  partnerPropertyId: string | null;
  name: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  unitCount: number | null;
};

export type ApplianceReference = {
  applianceId: string | null;
  serial: string | null;
  typeId: string | null;
  installYear: number | null;
  brand: string | null;
  model: string | null;
  unitId: string | null;
};

export type SmartEvent = {
  eventType: string;
  severity: Severity;
  componentDefId: string | null;
  componentId: string | null;
  recordedAt: Instant | null;
  sensorId: string | null;
  metric: string | null;
  value: number | null;
  unit: string | null;
  notes: string | null;
  property: PropertyReference;
  appliance: ApplianceReference;
};

const EVENT_TYPE = /^[a-z0-9]+(_[a-z0-9]+)*$/;

export function readMeterEvent(input: unknown): MeterEvent {
  const wire = check(meterEventShape, input);
  return {
    applianceId: wire.appliance_id.trim(),
    componentId: textOrNull(wire.component_id),
    sensorId: textOrNull(wire.sensor_id),
    metric: wire.metric.trim(),
    value: wire.value,
    unit: textOrNull(wire.unit),
    recordedAt: instantOrNull(wire.recorded_at),
  };
}

export function readSmartEvent(input: unknown): SmartEvent {
  const wire = check(smartEventShape, input);
  return assemble(wire, wire.property ?? {}, wire.appliance ?? {});
}

export function readFlatSmartEvent(input: unknown): SmartEvent {
  const wire = check(flatSmartEventShape, input);
  return assemble(wire, wire, wire);
}

type Happening = Omit<typeof smartEventShape.type.infer, "property" | "appliance">;

function assemble(
  wire: Happening,
  property: typeof propertyReferenceType.infer,
  appliance: typeof applianceReferenceType.infer,
): SmartEvent {
  const eventType = wire.event_type.trim();
  if (!EVENT_TYPE.test(eventType) || eventType.length > 64) {
    const message = "must be snake_case text of at most 64 characters";
    throw invalid(`event_type ${message}`, [{ field: "event_type", message }]);
  }
  return {
    eventType,
    severity: wire.severity ?? "medium",
    componentDefId: textOrNull(wire.component_def_id),
    componentId: textOrNull(wire.component_id),
    recordedAt: instantOrNull(wire.recorded_at),
    sensorId: textOrNull(wire.sensor_id),
    metric: textOrNull(wire.metric),
    value: wire.value ?? null,
    unit: textOrNull(wire.unit),
    notes: textOrNull(wire.notes),
    property: {
      propertyId: textOrNull(property.property_id),
      partnerPropertyId: textOrNull(property.partner_property_id),
      name: textOrNull(property.name),
      address: textOrNull(property.address),
      city: textOrNull(property.city),
      state: textOrNull(property.state),
      zip: textOrNull(property.zip),
      unitCount: property.unit_count ?? null,
    },
    appliance: {
      applianceId: textOrNull(appliance.appliance_id),
      serial: textOrNull(appliance.serial),
      typeId: textOrNull(appliance.type_id),
      installYear: appliance.install_year ?? null,
      brand: textOrNull(appliance.brand),
      model: textOrNull(appliance.model),
      unitId: textOrNull(appliance.unit_id),
    },
  };
}

const instantOrNull = (text: string | null | undefined) => (text ? parseInstant(text)! : null);

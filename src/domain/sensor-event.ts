import type { Instant } from "./time.ts";

export type Severity = "low" | "medium" | "high" | "critical";

export type SensorEvent = {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  componentId: string | null;
  kind: "meter" | "smart";
  /** For a smart event only, like `severity`. */
  eventType: string | null;
  severity: Severity | null;
  sensorId: string | null;
  metric: string | null;
  value: number | null;
  unit: string | null;
  notes: string | null;
  recordedAt: Instant;
  createdAt: Instant;
};

/** A meter reading, as received from a sensor provider. */
export type MeterEvent = {
  applianceId: string;
  componentId: string | null;
  sensorId: string | null;
  metric: string;
  value: number;
  unit: string | null;
  /** Null for the time of arrival. */
  recordedAt: Instant | null;
};

/** A sensor provider's reference to a property: an id, or the fields to register it. */
export type SensorPropertyReference = {
  propertyId: string | null;
  partnerPropertyId: string | null;
  name: string | null;
  address: string | null;
  city: string | null;
  country: string | null;
  state: string | null;
  zip: string | null;
  unitCount: number | null;
};

/** A sensor provider's reference to an appliance: an id, or the fields to register it. */
export type SensorApplianceReference = {
  applianceId: string | null;
  serial: string | null;
  typeId: string | null;
  installYear: number | null;
  brand: string | null;
  model: string | null;
  unitId: string | null;
};

/** A smart event, as received from a sensor provider. */
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
  property: SensorPropertyReference;
  appliance: SensorApplianceReference;
};

/** The number of components that an event rescored, and how many of them are elevated. */
export type RiskSummary = { scored: number; critical: number; warning: number };

import type { Instant } from "./time.ts";

export type Severity = "low" | "medium" | "high" | "critical";

export type SensorEvent = {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  componentId: string | null;
  kind: "meter" | "smart";
  /** Of a smart event. */
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

/** A meter reading, as a sensor provider sends it. */
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

/** A smart event, as a sensor provider sends it. */
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

/** How many components an event had scored again, and how many of them are elevated. */
export type RiskSummary = { scored: number; critical: number; warning: number };

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

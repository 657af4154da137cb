import type { Day, Instant } from "./time.ts";

export type Condition = "good" | "fair" | "poor";

export type ServiceEvent = {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  /** Null when the event speaks of the whole appliance. */
  componentId: string | null;
  eventType: EventType;
  date: Day;
  partsCostCents: number | null;
  laborCostCents: number | null;
  totalCostCents: number | null;
  technician: string | null;
  notes: string | null;
  conditionAfter: Condition | null;
  createdAt: Instant;
};

export type NewServiceEvent = Omit<
  ServiceEvent,
  "id" | "partnerId" | "propertyId" | "createdAt" | "totalCostCents"
> & { totalCostCents: number | null };

/** The nine event types, as the specification writes them. */
export const EVENT_TYPES = [
  "Preventive Maintenance",
  "Inspection",
  "Filter Change",
  "Cleaning",
  "Repair",
  "Replacement",
  "Emergency Repair",
  "Warranty Claim",
  "Other",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const SERVICING: ReadonlySet<EventType> = new Set([
  "Preventive Maintenance",
  "Cleaning",
  "Filter Change",
  "Repair",
  "Inspection",
]);

/** Whether the event moves `last_serviced` of what it speaks of. */
export const isServicing = (type: EventType) => SERVICING.has(type);

/**
 * Whether the event by itself tells how long a component really lived: an outcome is kept of it. A Warranty Claim does
 * so beside a Replacement of the same day.
 */
export const isOutcome = (type: EventType) => type === "Replacement" || type === "Emergency Repair";

/** Parts and labor where no total is given; null when neither is. */
export function totalCostCents(event: {
  partsCostCents: number | null;
  laborCostCents: number | null;
  totalCostCents: number | null;
}): number | null {
  if (event.totalCostCents !== null) return event.totalCostCents;
  if (event.partsCostCents === null && event.laborCostCents === null) return null;
  return (event.partsCostCents ?? 0) + (event.laborCostCents ?? 0);
}

/** What of an event may turn out to be otherwise; the rest makes it the event that it is. */
export type ServiceEventCorrection = Partial<
  Pick<ServiceEvent, "partsCostCents" | "laborCostCents" | "totalCostCents" | "technician" | "conditionAfter">
>;

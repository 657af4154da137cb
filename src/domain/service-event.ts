import type { Day, Instant } from "./time.ts";

export const CONDITIONS = ["good", "fair", "poor"] as const;
export type Condition = (typeof CONDITIONS)[number];

/** A condition as its inspector gave it: a number on a scale from the worst to the best. */
export type ConditionScore = { score: number; scale: readonly [worst: number, best: number] };

export type ServiceEvent = {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  /** Null for an event on the whole appliance. */
  componentId: string | null;
  eventType: EventType;
  date: Day;
  partsCostCents: number | null;
  laborCostCents: number | null;
  totalCostCents: number | null;
  technician: string | null;
  notes: string | null;
  conditionAfter: Condition | null;
  /** The condition as it was given; null for one in words, or none. */
  conditionScore: ConditionScore | null;
  /** The inspections that it was, in the order of the knowledge base; null if it names none. */
  inspectionTypes: readonly string[] | null;
  createdAt: Instant;
  /** The instant at which it was voided: since then it no longer counts; null for one that counts. */
  voidedAt: Instant | null;
  voidReason: string | null;
};

export type NewServiceEvent = Omit<
  ServiceEvent,
  | "id"
  | "partnerId"
  | "propertyId"
  | "createdAt"
  | "totalCostCents"
  | "inspectionTypes"
  | "conditionScore"
  | "voidedAt"
  | "voidReason"
> & { totalCostCents: number | null } & Partial<Pick<ServiceEvent, "inspectionTypes" | "conditionScore">>;

/** The event types, as the API names them. */
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

/** Returns whether an event of the type updates `last_serviced`. */
export const isServicingEventType = (type: EventType) => SERVICING.has(type);

/**
 * Returns whether an event of the type records how long a component lived, so that an outcome is stored. A Warranty Claim
 * does so only with a Replacement on the same day.
 */
export const isOutcomeEventType = (type: EventType) => type === "Replacement" || type === "Emergency Repair";

/** Returns the total, or the sum of parts and labor without one; null if all are missing. */
export function totalCostCents(event: {
  partsCostCents: number | null;
  laborCostCents: number | null;
  totalCostCents: number | null;
}): number | null {
  if (event.totalCostCents !== null) return event.totalCostCents;
  if (event.partsCostCents === null && event.laborCostCents === null) return null;
  return (event.partsCostCents ?? 0) + (event.laborCostCents ?? 0);
}

/** Changed fields of an event. */
export type ServiceEventChange = Partial<NewServiceEvent>;

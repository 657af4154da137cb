import type { Day, Instant } from "./time.ts";

export const CONDITIONS = ["good", "fair", "poor"] as const;
export type Condition = (typeof CONDITIONS)[number];

/** A condition as its inspector gave it: a number on a scale from the worst to the best. */
export type ConditionScore = { score: number; scale: readonly [worst: number, best: number] };

/**
 * Returns the condition that a score means, by thirds of its scale.
 * @example
 * conditionFromScore({ score: 3, scale: [1, 5] }) // "fair"
 */
export function conditionFromScore({ score, scale: [worst, best] }: ConditionScore): Condition {
  // Compared without division, so that a score on the border of two thirds has the better condition.
  const [above, whole] = [3 * Math.abs(score - worst), Math.abs(best - worst)];
  return above < whole ? "poor" : above < 2 * whole ? "fair" : "good";
}

/** Returns what is wrong about a score; undefined if nothing is. */
export function conditionScoreIssue({ score, scale }: ConditionScore): string | undefined {
  const [least, most] = [Math.min(...scale), Math.max(...scale)];
  if (score >= least && score <= most) return undefined;
  return `must be on its scale, from ${least} to ${most}`;
}

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
export const isServicing = (type: EventType) => SERVICING.has(type);

/**
 * Returns whether an event of the type records how long a component lived, so that an outcome is stored. A Warranty Claim
 * does so only with a Replacement on the same day.
 */
export const isOutcome = (type: EventType) => type === "Replacement" || type === "Emergency Repair";

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

/** Returns an event with changes. A total that is the sum of parts and labor stays their sum. */
export function applyServiceEventChange(event: ServiceEvent, change: ServiceEventChange): ServiceEvent {
  const { inspectionTypes = event.inspectionTypes, conditionScore = event.conditionScore } = change;
  const after: ServiceEvent = { ...event, ...change, inspectionTypes, conditionScore };
  if (change.conditionScore && change.conditionAfter == null)
    after.conditionAfter = conditionFromScore(change.conditionScore);
  const isSum = event.totalCostCents === totalCostCents({ ...event, totalCostCents: null });
  const total = "totalCostCents" in change ? after.totalCostCents : isSum ? null : event.totalCostCents;
  after.totalCostCents = totalCostCents({ ...after, totalCostCents: total });
  return after;
}

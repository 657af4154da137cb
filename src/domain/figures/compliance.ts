import type { InspectionRegime, Knowledge } from "../knowledge.ts";
import type { Condition, EventType } from "../service-event.ts";
import { addMonths, type Day, daysBetween } from "../time.ts";

export type ComplianceStatus = "OVERDUE" | "DUE_SOON" | "UPCOMING" | "OK";

/** An inspection that an appliance needs. */
export type ComplianceItem<A> = {
  appliance: A;
  regime: InspectionRegime;
  /** The last one that passed; null without one. */
  lastInspection: Day | null;
  dueDate: Day;
  /** Negative when past due. */
  daysUntilDue: number;
  status: ComplianceStatus;
};

/** A service event, as compliance reads it. */
export type InspectionEvent = {
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
};

type InspectedAppliance = { id: string; typeId: string; installYear: number };

/**
 * Returns the inspections that the appliances need, one item per appliance and inspection type, the first due first
 * (docs/model/figures.md#compliance). Equal due dates keep the order of the appliances. `events` are by appliance id and
 * include those on components; events after `today` do not count.
 */
export function complianceItems<A extends InspectedAppliance>(
  knowledge: Knowledge,
  appliances: readonly A[],
  events: ReadonlyMap<string, readonly InspectionEvent[]>,
  today: Day,
): ComplianceItem<A>[] {
  const items: ComplianceItem<A>[] = [];
  for (const appliance of appliances)
    for (const regime of knowledge.regimes(appliance.typeId)) {
      const lastInspection = newestPassed(events.get(appliance.id) ?? [], regime.resetBy, today);
      const start = lastInspection ?? firstDay(appliance.installYear);
      const dueDate = addMonths(start, regime.intervalMonths);
      const daysUntilDue = daysBetween(today, dueDate);
      const status = complianceStatus(daysUntilDue);
      items.push({ appliance, regime, lastInspection, dueDate, daysUntilDue, status });
    }
  return items.sort(byDueDay);
}

/** Orders items by due date. */
export const byDueDay = (a: { daysUntilDue: number }, b: { daysUntilDue: number }) =>
  a.daysUntilDue - b.daysUntilDue;

/** Returns the status of an inspection due in that many days. */
export function complianceStatus(daysUntilDue: number): ComplianceStatus {
  if (daysUntilDue < 0) return "OVERDUE";
  if (daysUntilDue <= 30) return "DUE_SOON";
  return daysUntilDue <= 90 ? "UPCOMING" : "OK";
}

function newestPassed(
  events: readonly InspectionEvent[],
  types: readonly EventType[],
  today: Day,
): Day | null {
  let day: Day | null = null;
  for (const { eventType, date, conditionAfter } of events)
    if (
      date <= today &&
      conditionAfter !== "poor" &&
      (day === null || date > day) &&
      types.includes(eventType)
    )
      day = date;
  return day;
}

const firstDay = (installYear: number): Day => `${installYear}-07-01`;

import type { InspectionRegime, Knowledge } from "../knowledge.ts";
import type { Condition, EventType } from "../service-event.ts";
import { addMonths, type Day, daysBetween } from "../time.ts";

export type ComplianceStatus = "OVERDUE" | "DUE_SOON" | "UPCOMING" | "OK";

/** An inspection that an appliance is due for. */
export type ComplianceItem<A> = {
  appliance: A;
  regime: InspectionRegime;
  /** The newest one that passed; null when there is none. */
  lastInspection: Day | null;
  dueDate: Day;
  /** Negative when past due. */
  daysUntilDue: number;
  status: ComplianceStatus;
};

/** What compliance reads of a service event. */
export type InspectionEvent = {
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
};

type InspectedAppliance = { id: string; typeId: string; installYear: number };

/**
 * Every inspection that a regime of the knowledge base asks of the appliances: an item an appliance and inspection
 * type, the first due first, equals in the order of the appliances (docs/model/figures.md#compliance). The clock starts again with each
 * event of a listed type on the appliance or a component of it that did not leave it in poor condition; before the
 * first, on 1 July of its install year. Events after `today` count for nothing. `events`: by the appliances' ids.
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

/** The first due first; a sort by it leaves equals as they stand. */
export const byDueDay = (a: { daysUntilDue: number }, b: { daysUntilDue: number }) =>
  a.daysUntilDue - b.daysUntilDue;

/** The state of an inspection that is due in that many days. */
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

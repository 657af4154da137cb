import type { InspectionRegime, Knowledge } from "../domain-knowledge.ts";
import { addMonths, type Day, daysBetween } from "../time.ts";
import { type InspectionBasis, InspectionRecord, type InspectionState } from "./inspection-record.ts";

export type ComplianceStatus = "OVERDUE" | "DUE_SOON" | "UPCOMING" | "OK";
export type InspectionResult = "passed" | "failed";

/** An inspection that an appliance needs. */
export type ComplianceItem<A> = {
  appliance: A;
  regime: InspectionRegime;
  /** The day of the last visit, whatever it found; null without one. */
  lastInspection: Day | null;
  /** Its result; null without a visit. */
  result: InspectionResult | null;
  deficiencyOpen: boolean;
  basis: InspectionBasis;
  /** The service event that was the last visit; null without one. */
  lastEventId: string | null;
  dueDate: Day;
  /** Negative when past due. */
  daysUntilDue: number;
  status: ComplianceStatus;
};

type InspectedAppliance = { id: string; typeId: string; installYear: number };

/**
 * Returns the inspections that the appliances need, one item per appliance and inspection type, the first due first
 * (docs/model/figures.md#compliance). Equal due dates keep the order of the appliances. `records` are by appliance id and
 * hold no events after `today`.
 */
export function inspectionComplianceOfAppliances<A extends InspectedAppliance>(
  knowledge: Knowledge,
  appliances: readonly A[],
  records: ReadonlyMap<string, InspectionRecord>,
  today: Day,
): ComplianceItem<A>[] {
  const items: ComplianceItem<A>[] = [];
  for (const appliance of appliances) {
    const regimes = knowledge.regimes(appliance.typeId);
    const { components } = knowledge.type(appliance.typeId);
    const record = records.get(appliance.id) ?? new InspectionRecord(regimes, components);
    for (const regime of regimes) {
      const state = record.stateOf(regime);
      const { last } = state;
      const dueDate = dueDateOf(regime, state, appliance.installYear);
      const daysUntilDue = daysBetween(today, dueDate);
      items.push({
        appliance,
        regime,
        lastInspection: last?.date ?? null,
        result: last && (last.hasPassed ? "passed" : "failed"),
        deficiencyOpen: state.isDeficient,
        basis: last?.basis ?? "none",
        lastEventId: last?.eventId ?? null,
        dueDate,
        daysUntilDue,
        status: complianceStatus(daysUntilDue),
      });
    }
  }
  return items.sort(compareDueDays);
}

/**
 * Returns the day on which the next visit is due: an interval after the last one, or after 1 July of the install year. A
 * mandatory inspection that failed stays due: since the day it first failed, or since it was due before, by an earlier visit or,
 * where only a component was inspected, by the install year.
 */
function dueDateOf(
  { mandatory, intervalMonths }: InspectionRegime,
  { lastWhole, lastPassed, failedSince }: InspectionState,
  installYear: number,
): Day {
  if (failedSince === null || !mandatory)
    return addMonths(lastWhole ?? firstDay(installYear), intervalMonths);
  const before = lastWhole === null ? firstDay(installYear) : lastPassed;
  const due = before && addMonths(before, intervalMonths);
  return due !== null && due < failedSince ? due : failedSince;
}

/** Orders items by due date. */
export const compareDueDays = (a: { daysUntilDue: number }, b: { daysUntilDue: number }) =>
  a.daysUntilDue - b.daysUntilDue;

/** Returns the status of an inspection due in that many days. */
export function complianceStatus(daysUntilDue: number): ComplianceStatus {
  if (daysUntilDue < 0) return "OVERDUE";
  if (daysUntilDue <= 30) return "DUE_SOON";
  return daysUntilDue <= 90 ? "UPCOMING" : "OK";
}

const firstDay = (installYear: number): Day => `${installYear}-07-01`;

import { conflict, invalid } from "../errors.ts";
import { type Day, yearOf } from "../time.ts";

/** The retirement of a property or an appliance: from that day it is in no list and no figure. Both null if there is none. */
export type Retirement = { retiredAt: Day | null; retiredReason: string | null };

export const NOT_RETIRED: Retirement = { retiredAt: null, retiredReason: null };

/** Returns whether a numbered row is retired: its number is negative then, which keeps it out of every list. */
export const isRetired = ({ seq }: { seq: number }): boolean => seq < 0;

/** Returns whether the retirement is in effect on the day. */
export const isRetirementDueByRule = ({ retiredAt }: Retirement, today: Day) =>
  retiredAt !== null && retiredAt <= today;

/** Returns the retirement after a change. Null brings back and clears the reason. Throws invalid_request for a reason alone. */
export function retirementAfterChange(
  { retiredAt, retiredReason }: Retirement,
  change: Partial<Retirement>,
): Retirement {
  const day = change.retiredAt === undefined ? retiredAt : change.retiredAt;
  if (day !== null)
    return {
      retiredAt: day,
      retiredReason: change.retiredReason === undefined ? retiredReason : change.retiredReason,
    };
  if (change.retiredReason != null)
    throw invalid("retired_reason requires retired_at", [
      { field: "retired_reason", message: "requires retired_at" },
    ]);
  return NOT_RETIRED;
}

/** Throws invalid_request for the retirement of an appliance in a year before its installation. */
export function checkRetirementDayRule(retiredAt: Day | null, installYear: number): void {
  if (retiredAt === null || yearOf(retiredAt) >= installYear) return;
  const message = `must not be before install_year, ${installYear}`;
  throw invalid(`retired_at, ${retiredAt}, ${message}`, [{ field: "retired_at", message }]);
}

type Retirable = Retirement & { id: string; seq: number };

/** Throws a conflict if the property or appliance is retired. */
export function checkNotRetiredRule(name: "Property" | "Appliance", row: Retirable): void {
  if (isRetired(row)) throw retirementRuleConflict(name, row);
}

/** Returns the failure of a write to a retired property or appliance. */
export function retirementRuleConflict(name: "Property" | "Appliance", { id, retiredAt }: Retirable) {
  const path = name === "Property" ? "properties" : "appliances";
  if (retiredAt === null)
    return conflict(
      `${name} ${id} is retired with its property. Bring the property back first, with retired_at: null`,
    );
  return conflict(
    `${name} ${id} is retired since ${retiredAt}. Bring it back first: PUT /v1/${path}/${id} with retired_at: null`,
  );
}

/** Throws a conflict if the component is retired with its appliance, or belongs to the type that its appliance had before. */
export function checkComponentNotRetiredRule(component: {
  id: string;
  applianceId: string;
  seq: number;
}): void {
  if (isRetired(component))
    throw conflict(
      `Component ${component.id} is retired: bring back appliance ${component.applianceId}, or give it its former type again`,
    );
}

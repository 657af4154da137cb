import { MAX_PLAN_MONTHS } from "./horizon.ts";
import { type Cache, type KnownPart, newPartOf } from "./known-part.ts";
import { failing, type Part, survivalInPlace } from "./part.ts";
import type { Policy } from "./policy.ts";
import { type Advice, adviseOn, monthOf } from "./replacement-advice.ts";
import { addRenewals, byYear, emptySchedule, endOf, ofSuccessors, type Schedule } from "./schedule.ts";
import type { UnitKind } from "./unit.ts";
import { makeNewUnit, type NewUnit } from "./unit-policy.ts";

/** The new parts and units that are known. */
export type PlanCaches = { parts: Cache<KnownPart>; units: Cache<NewUnit> };

/** Returns the new unit of a kind, from the cache if possible. */
export function newUnitOf(kind: UnitKind, minors: readonly KnownPart[], { units }: PlanCaches): NewUnit {
  const { priceCents, failedPriceCents, principal, capMonths } = kind;
  const own = `${priceCents} ${failedPriceCents} ${principal?.shape} ${principal?.scaleYears} ${capMonths}`;
  const key = [own, ...minors.map(({ key }) => key)].join("|");
  const found = units.get(key);
  if (found) return found;
  const made = makeNewUnit(kind, minors);
  units.set(key, made);
  return made;
}

/** The advice on a part as if it stood alone, with the policy of its kind. */
export type PartPlan = Advice & Policy;

/** Returns the advice on a part. */
export function planPart(part: Part, caches: Pick<PlanCaches, "parts">): PartPlan {
  const { policy } = newPartOf(part, caches);
  return { ...policy, ...adviseOn(part, policy) };
}

/** Returns the schedule of a part that is replaced on its own (docs/model/planning.md#schedule). */
export function schedulePart(part: Part, plan: PartPlan, newPart: KnownPart, years: number): Schedule {
  const schedule = emptySchedule(years);
  const survival = survivalInPlace(part, Math.min(12 * years, MAX_PLAN_MONTHS));
  const shares = failing(survival);
  const due = plan.dueInYears === null ? null : monthOf(plan.dueInYears);
  const runsToFailure = endOf(shares, survival, null);
  addRenewals(
    schedule,
    due === null ? runsToFailure : endOf(shares, survival, due),
    newPart.cumulative,
    part,
  );
  const failures = byYear(shares, years);
  const later = ofSuccessors(runsToFailure, newPart.cumulative.failuresRunToFailure, years);
  for (let year = 0; year < years; year++)
    schedule.runToFailure[year] = (failures[year]! + later[year]!) * part.failureCents;
  return schedule;
}

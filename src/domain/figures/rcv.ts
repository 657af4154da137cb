import type { Knowledge, System } from "../knowledge.ts";
import { type AssessedComponent, type Assessment, assess } from "./assessment.ts";

export type SystemValue = { system: System; totals: Assessment };

/**
 * Replacement cost value by system, the system being that of the appliance's type: the dearest first. A unit's value is
 * the smaller of its own price and its parts' (`scoring.md` §6), so the systems' values add up to the property's.
 */
export function systemValues(knowledge: Knowledge, components: readonly AssessedComponent[]): SystemValue[] {
  const systems = Map.groupBy(components, (component) => knowledge.type(component.typeId).system);
  return [...systems]
    .map(([system, group]) => ({ system, totals: assess(knowledge, group) }))
    .sort((a, b) => b.totals.rcvCents - a.totals.rcvCents || (a.system < b.system ? -1 : 1));
}

/**
 * Deferred maintenance as a percentage of the property's value at one decimal, such as `4.2%`. Null without a value, or
 * with one of 0, of which nothing is a percentage.
 */
export function deferredPercent(deferredCents: number, estimatedValueCents: number | null): string | null {
  if (!estimatedValueCents) return null;
  return `${(Math.round((deferredCents * 1000) / estimatedValueCents) / 10).toFixed(1)}%`;
}

import type {
  ComponentDef,
  EnvironmentFactor,
  PlaceEnvironment,
  Restoration,
  ScoringModel,
} from "../domain-knowledge.ts";
import type { EventType } from "../service-event.ts";
import { DAYS_PER_MONTH, DAYS_PER_YEAR, type Day, dayNumber, dayNumberOfDate } from "../time.ts";
import { type DatedEvents, eventConcernsComponent, indexOfFirstEventAfter } from "./dated-events.ts";
import type { ComponentHistory } from "./scoring-types.ts";

/** Returns the day number of a component's birth: its last Replacement, or 1 July of its install year. */
export function partBirthDay(installYear: number, replacedOn: number | undefined): number {
  return replacedOn ?? dayNumberOfDate(installYear, 7, 1);
}

/** Returns the calendar age in years, at least 0. A Replacement dated after `asOf` does not count. */
export function ageYears(
  component: Pick<ComponentHistory, "installYear" | "lastReplaced">,
  asOf: Day,
): number {
  const { installYear, lastReplaced } = component;
  const replacedOn = lastReplaced !== null && lastReplaced <= asOf ? dayNumber(lastReplaced) : undefined;
  return Math.max(0, dayNumber(asOf) - partBirthDay(installYear, replacedOn)) / DAYS_PER_YEAR;
}

/** Returns the years of normal use per calendar year, from use and climate (docs/model/scoring.md#rate-of-aging). */
export function agingRate(
  def: ComponentDef,
  usageIntensity: number,
  environment: PlaceEnvironment,
  model: ScoringModel,
): number {
  let lifeFactor = 1;
  for (const factor of def.environment) lifeFactor *= environmentFactor(factor, environment, model);
  return usageFactor(def, usageIntensity, model) / Math.max(lifeFactor, model.environment.lowestLifeFactor);
}

/** Returns the factor of the appliance's use on the rate of aging. */
export function usageFactor(def: ComponentDef, usageIntensity: number, model: ScoringModel): number {
  return def.wear === "use" ? usageIntensity ** model.usageExponent : 1;
}

/** Returns the factor of one climate factor on the life. */
export function environmentFactor(
  factor: EnvironmentFactor,
  environment: PlaceEnvironment,
  model: ScoringModel,
): number {
  return 1 - model.environment.sensitivity[factor] * environment[factor];
}

/**
 * The share of the accrued days that a restoring event takes back; on a day with several, its addition to weaker ones.
 */
export type Restored = { eventType: EventType; on: Day; share: number; accruedDays: number };

/**
 * Returns the virtual age in years of normal use that accrues from the day number `from` to `today`
 * (docs/model/scoring.md#virtual-age). Appends each restoration to `trail`.
 */
export function virtualAge(
  def: ComponentDef,
  componentId: string,
  { restoring }: Pick<DatedEvents, "restoring">,
  { from, today, rate }: { from: number; today: number; rate: number },
  { restoration }: ScoringModel,
  trail?: Restored[],
): number {
  const months = def.maintenanceIntervalMonths ?? restoration.defaultIntervalMonths;
  const countedDays = restoration.intervalsCounted * months * DAYS_PER_MONTH;
  let removedDays = 0;
  let last = from;
  let accruedDays = 0;
  let strongest = 0;
  for (let at = indexOfFirstEventAfter(restoring, from - 1); at < restoring.length; at++) {
    const event = restoring[at]!;
    const kind = RESTORES[event.eventType];
    if (kind === undefined) continue;
    if (!def.restoredBy.includes(kind) || !eventConcernsComponent(event, componentId)) continue;
    if (event.day > last) {
      accruedDays = Math.min(event.day - last, countedDays);
      last = event.day;
      strongest = 0;
    }
    const share = restoration.shares[kind];
    if (share <= strongest) continue; // the strongest of a day counts
    removedDays += (share - strongest) * accruedDays;
    trail?.push({ eventType: event.eventType, on: event.date, share: share - strongest, accruedDays });
    strongest = share;
  }
  return (rate * (Math.max(0, today - from) - removedDays)) / DAYS_PER_YEAR;
}

const RESTORES: Partial<Record<EventType, Restoration>> = {
  "Preventive Maintenance": "preventive",
  Cleaning: "cleaning",
  "Filter Change": "filter",
};

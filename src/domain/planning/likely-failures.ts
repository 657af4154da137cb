import { survivalProbabilityAt } from "./part-in-place.ts";
import { IMMEDIATE_PROBABILITY, type PlannedAppliance } from "./planned-appliance.ts";

/** Components that a plan does not replace now, though they will probably fail within a year. */
export type LikelyFailures = { count: number; plannedCents: number };

/**
 * Returns the components that are not due, but as likely to fail within a year as what makes an immediate repair of work that is:
 * a lender's engineer lists them so, whatever a planned replacement saves. Parts of whole units are repaired. Sensor alarms do
 * not count, as in all that a plan decides: an alarm calls for a repair.
 */
export function likelyFailuresOf(appliances: Iterable<PlannedAppliance<unknown>>): LikelyFailures {
  const found: LikelyFailures = { count: 0, plannedCents: 0 };
  for (const { unit, components } of appliances) {
    if (unit) continue;
    for (const { dueNow, part, price } of components) {
      if (dueNow !== null || 1 - survivalProbabilityAt(part, 12) < IMMEDIATE_PROBABILITY) continue;
      found.count++;
      found.plannedCents += price.plannedCents;
    }
  }
  return found;
}

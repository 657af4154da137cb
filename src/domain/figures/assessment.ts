import type { Component } from "../component.ts";
import type { Knowledge } from "../knowledge.ts";
import type { BrandTier } from "../scoring/types.ts";
import { countTier, emptyTotals, type PropertyTotals } from "../totals.ts";

/** A component with what figures read of its appliance. */
export type AssessedComponent = Component & { typeId: string; brandTier: BrandTier };

/** What figures are made of: counts by tier, costs by tier and the replacement cost value. Money in cents. */
export type Assessment = Omit<PropertyTotals, "serviceEvents">;

/**
 * Sums over a property's components or a group of whole appliances. The replacement cost value is that of the
 * appliances which the components belong to, each counted once (`scoring.md` §6).
 */
export function assess(knowledge: Knowledge, components: readonly AssessedComponent[]): Assessment {
  const totals = emptyTotals();
  const appliances = new Map<string, string>();
  for (const { applianceId, typeId, defId, riskScore } of components) {
    totals.components++;
    countTier(totals, riskScore, knowledge.component(defId), 1);
    appliances.set(applianceId, typeId);
  }
  totals.appliances = appliances.size;
  for (const typeId of appliances.values()) totals.rcvCents += knowledge.type(typeId).rcvCents;
  return totals;
}

/** A property's units as figures per unit and per door count them: at least one (`scoring.md` §6). */
export const doors = (unitCount: number) => Math.max(unitCount, 1);

/** An amount's share per unit, in whole cents. */
export const perDoor = (cents: number, unitCount: number) => Math.round(cents / doors(unitCount));

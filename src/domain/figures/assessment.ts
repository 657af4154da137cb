import type { Component } from "../component.ts";
import type { Knowledge } from "../knowledge.ts";
import type { BrandTier } from "../scoring/types.ts";
import { countTier, emptyTotals, type PropertyTotals } from "../totals.ts";

/** A component with what figures read of its appliance. */
export type AssessedComponent = Component & { typeId: string; brandTier: BrandTier };

/** What figures are made of: counts by tier, costs by tier and the replacement cost value. Money in cents. */
export type Assessment = Omit<PropertyTotals, "serviceEvents">;

/** Gathers the assessment of a property's components, or of a group of whole appliances, component by component. */
export class AssessmentAccumulator {
  readonly #totals = emptyTotals();
  readonly #appliances = new Set<string>();

  constructor(private readonly knowledge: Knowledge) {}

  add({ applianceId, typeId, defId, riskScore }: AssessedComponent): void {
    this.#totals.components++;
    countTier(this.#totals, riskScore, this.knowledge.component(defId), 1);
    if (this.#appliances.has(applianceId)) return;
    this.#appliances.add(applianceId);
    this.#totals.appliances++;
    this.#totals.rcvCents += this.knowledge.type(typeId).rcvCents;
  }

  get assessment(): Assessment {
    return this.#totals;
  }
}

/** A property's units as figures per unit and per door count them: at least one (docs/model/figures.md#replacement-cost-value). */
export const doorCount = (unitCount: number) => Math.max(unitCount, 1);

/** An amount's share per unit, in whole cents. */
export const perDoor = (cents: number, unitCount: number) => Math.round(cents / doorCount(unitCount));

import type { Component } from "../component.ts";
import type { Knowledge } from "../knowledge.ts";
import type { BrandTier } from "../scoring/types.ts";
import { countTier, emptyTotals, type PropertyTotals } from "../totals.ts";

/** A component with the fields of its appliance that figures read. */
export type AssessedComponent = Component & { typeId: string; brandTier: BrandTier };

/** Counts and costs by tier, and the replacement cost value. Money in cents. */
export type Assessment = Omit<PropertyTotals, "serviceEvents">;

/**
 * Sums up the assessment of a property, or of a group of whole appliances, component by component. Each appliance counts
 * once in the replacement cost value (docs/model/figures.md#replacement-cost-value).
 */
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

/** Returns the number of units to divide by: at least one. */
const doorCount = (unitCount: number) => Math.max(unitCount, 1);

/** Returns an amount per unit, in whole cents. */
export const perDoor = (cents: number, unitCount: number) => Math.round(cents / doorCount(unitCount));

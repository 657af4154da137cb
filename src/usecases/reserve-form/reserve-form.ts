import type { PlacedComponent } from "../../domain/component.ts";
import type { CostBasis } from "../../domain/costs/component-costs.ts";
import type { FormTerms } from "../../domain/planning/plan-terms.ts";
import type { DueNow } from "../../domain/planning/planned-appliance.ts";
import type { ReserveLine } from "../../domain/planning/planned-reserve-lines.ts";
import type { PropertyPlan } from "../../domain/planning/property-plan-summary.ts";

/** Where the sheets of sums find the costs that they add up. */
export type CostCells = {
  /** Returns the formula of the cost of a year's planned replacements, or of those after failures, without what is due now. */
  costFormula(of: "planned" | "failures", year: number): string;
  /** Returns the formula of a year's cost of what has costs of a basis. */
  basisFormula(basis: CostBasis, year: number): string;
  /** Returns the cells of the number and the cost of what is due now. */
  dueCells(dueNow: DueNow): { items: string; cost: string };
};

/** A property's plan with the lines of the form that lenders' engineers use. */
export type ReserveForm = {
  plan: PropertyPlan<PlacedComponent>;
  terms: FormTerms;
  lines: readonly ReserveLine[];
};

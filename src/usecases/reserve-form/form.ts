import type { PlacedComponent } from "../../domain/component.ts";
import type { FormTerms } from "../../domain/planning/plan-terms.ts";
import type { PropertyPlan } from "../../domain/planning/property-plan.ts";
import type { ReserveLine } from "../../domain/planning/reserve-lines.ts";

/** A property's plan with the lines of the form that lenders' engineers use. */
export type ReserveForm = {
  plan: PropertyPlan<PlacedComponent>;
  terms: FormTerms;
  lines: readonly ReserveLine[];
};

import type { Assumptions } from "../figures/assumptions.ts";
import type { Property } from "../property.ts";
import type { Day } from "../time.ts";
import type { BudgetCandidate, BudgetSpending } from "./budget.ts";
import { type CapitalPlan, capitalPlanOf } from "./capital-plan.ts";
import type { ReserveFunding } from "./level-deposit.ts";
import type { PlanSums } from "./plan-sums.ts";
import type { PlanTerms } from "./plan-terms.ts";
import type { PlannedAppliance } from "./planned-appliance.ts";

/** A budget and its allocation, in whole cents. */
export type BudgetUse<C extends BudgetCandidate = BudgetCandidate> = BudgetSpending<C> & {
  amountCents: number;
};

export type PropertyCandidate = BudgetCandidate & { propertyId: string };

/** The common part of a property's and a portfolio's plan. */
export type PlanSummary = {
  terms: PlanTerms;
  asOf: Day;
  sums: PlanSums;
  capital: CapitalPlan;
  /** The model version of the scores. */
  modelVersion: string;
  /** The basis of the plan. */
  counted: Assumptions;
};

/** A portfolio's plan, computed from stored sums. */
export type PortfolioPlan = PlanSummary & { budget: BudgetUse<PropertyCandidate> | null };

/** A property's plan, with its appliances in the order of their creation. */
export type PropertyPlan<C> = PlanSummary & {
  property: Property;
  appliances: readonly PlannedAppliance<C>[];
  budget: BudgetUse | null;
};

/** Returns the summary of a plan from its sums. */
export const planSummaryOf = (
  terms: PlanTerms,
  asOf: Day,
  sums: PlanSums,
  { modelVersion, counted }: Pick<PlanSummary, "modelVersion" | "counted">,
): PlanSummary => ({
  terms,
  asOf,
  sums,
  modelVersion,
  counted,
  capital: capitalPlanOf(sums, terms.years, terms.inflationPct / 100, reserveFundingOf(terms)),
});

/** Returns the funding of a reserve that the terms of a plan state. */
export const reserveFundingOf = ({
  openingCents,
  interestPct,
  minimumCents,
  depositGrowthPct,
}: PlanTerms): ReserveFunding => ({
  openingCents,
  interest: interestPct / 100,
  minimumCents,
  depositGrowth: depositGrowthPct / 100,
});

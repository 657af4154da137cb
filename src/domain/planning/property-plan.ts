import type { Property } from "../property.ts";
import type { Day } from "../time.ts";
import type { Candidate, Spending } from "./budget.ts";
import { type CapitalPlan, capitalPlanOf } from "./capital-plan.ts";
import type { ComponentPlan } from "./component-plan.ts";
import { firstYears, type PlanSums } from "./plan-sums.ts";
import { MAX_PLAN_YEARS } from "./renewals.ts";
import type { YearlyCosts } from "./schedule.ts";

/** The parameters of a plan. */
export type PlanTerms = {
  years: number;
  /** Percent per year. */
  inflationPct: number;
  budgetCents: number | null;
};

/** The limits of each parameter and its default. */
export const PLAN_LIMITS = {
  years: { least: 1, most: MAX_PLAN_YEARS, usual: 10 },
  inflationPct: { least: 0, most: 15, usual: 3 },
  budgetUsd: { least: 0, most: 1e12 },
} as const;

/** A component's plan with its expected costs by year. */
export type ScheduledPlan<C> = ComponentPlan<C> & { years: YearlyCosts };

/** A budget and its allocation, in whole cents. */
export type BudgetUse<C extends Candidate = Candidate> = Spending<C> & { amountCents: number };

export type PropertyCandidate = Candidate & { propertyId: string };

/** The common part of a property's and a portfolio's plan. */
export type PlanSummary = {
  terms: PlanTerms;
  asOf: Day;
  sums: PlanSums;
  capital: CapitalPlan;
  /** The model version of the scores. */
  modelVersion: string;
};

/** A portfolio's plan, computed from stored sums. */
export type PortfolioPlan = PlanSummary & { budget: BudgetUse<PropertyCandidate> | null };

/** A property's plan, with its components by cost of waiting, the highest first. */
export type PropertyPlan<C> = PlanSummary & {
  property: Property;
  plans: readonly ScheduledPlan<C>[];
  budget: BudgetUse | null;
};

/** Returns the summary of a plan from its sums. */
export const planSummaryOf = (
  terms: PlanTerms,
  asOf: Day,
  sums: PlanSums,
  modelVersion: string,
): PlanSummary => ({
  terms,
  asOf,
  sums,
  modelVersion,
  capital: capitalPlanOf(firstYears(sums.years, terms.years), terms.inflationPct / 100),
});

import type { Property } from "../property.ts";
import type { Day } from "../time.ts";
import type { Candidate, Spending } from "./budget.ts";
import { type CapitalPlan, capitalPlanOf } from "./capital-plan.ts";
import type { ComponentPlan } from "./component-plan.ts";
import { firstYears, type PlanSums } from "./plan-sums.ts";
import { MAX_PLAN_YEARS } from "./renewals.ts";
import type { YearlyCosts } from "./schedule.ts";

/** What a plan is asked for with. */
export type PlanTerms = {
  years: number;
  /** Per cent a year. */
  inflationPct: number;
  budgetCents: number | null;
};

/** What each may be, and what it is where nothing is asked for. */
export const PLAN_LIMITS = {
  years: { least: 1, most: MAX_PLAN_YEARS, usual: 10 },
  inflationPct: { least: 0, most: 15, usual: 3 },
  budgetUsd: { least: 0, most: 1e12 },
} as const;

/** A component's plan with what is to be expected of it in each year. */
export type ScheduledPlan<C> = ComponentPlan<C> & { years: YearlyCosts };

/** Money a budget is spent on, and what it saves. Whole cents. */
export type BudgetUse<C extends Candidate = Candidate> = Spending<C> & { amountCents: number };

export type PropertyCandidate = Candidate & { propertyId: string };

/** What every plan says, of a property and of a portfolio. */
export type PlanSummary = {
  terms: PlanTerms;
  asOf: Day;
  sums: PlanSums;
  capital: CapitalPlan;
  /** The model that the scores are of. */
  modelVersion: string;
};

/** A portfolio's plan, of sums that are kept. */
export type PortfolioPlan = PlanSummary & { budget: BudgetUse<PropertyCandidate> | null };

/** A property's plan; its components by cost of waiting, the highest first. */
export type PropertyPlan<C> = PlanSummary & {
  property: Property;
  plans: readonly ScheduledPlan<C>[];
  budget: BudgetUse | null;
};

export const planSummaryOf = (
  terms: PlanTerms,
  asOf: Day,
  sums: PlanSums,
  modelVersion: string,
): PlanSummary => ({
  ...{ terms, asOf, sums, modelVersion },
  capital: capitalPlanOf(firstYears(sums.years, terms.years), terms.inflationPct / 100),
});

import { MAX_PLAN_YEARS } from "./horizon.ts";

/** The parameters of a plan. Rates are percent per year. */
export type PlanTerms = {
  years: number;
  inflationPct: number;
  budgetCents: number | null;
  /** The reserve's balance at the start, after what is due now was paid otherwise. */
  openingCents: number;
  /** The amount that a lender holds back for work due now, in percent of its cost. */
  escrowPct: number;
  interestPct: number;
  /** The least balance of the reserve at the end of a year. */
  minimumCents: number;
  depositGrowthPct: number;
};

/** The limits of each parameter and its default. */
export const PLAN_LIMITS = {
  years: { least: 1, most: MAX_PLAN_YEARS, usual: 10 },
  inflationPct: { least: 0, most: 15, usual: 3 },
  budgetUsd: { least: 0, most: 1e12 },
  openingUsd: { least: 0, most: 1e12, usual: 0 },
  escrowPct: { least: 100, most: 200, usual: 125 },
  interestPct: { least: 0, most: 15, usual: 0 },
  minimumUsd: { least: 0, most: 1e12, usual: 0 },
  depositGrowthPct: { least: 0, most: 15, usual: 0 },
} as const;

/** The terms of a plan that was asked for without any. */
export const USUAL_TERMS: PlanTerms = {
  years: PLAN_LIMITS.years.usual,
  inflationPct: PLAN_LIMITS.inflationPct.usual,
  budgetCents: null,
  openingCents: 0,
  escrowPct: PLAN_LIMITS.escrowPct.usual,
  interestPct: 0,
  minimumCents: 0,
  depositGrowthPct: 0,
};

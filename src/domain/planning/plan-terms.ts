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

/** The orders of the properties in a portfolio's plan: by creation, or by the cost of delay of what is due, highest first. */
export const PLAN_ORDERS = ["created", "waiting"] as const;
export type PlanOrder = (typeof PLAN_ORDERS)[number];

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

/** The terms of the reserve form of lenders' engineers, beside those of its plan. */
export type FormTerms = {
  /** The least cost of like items that the form lists, in whole cents. */
  minimumItemCents: number;
  /** The term of the loan in years; null if it is not known. */
  loanTermYears: number | null;
  /** True for a loan that HUD insures. */
  isHud: boolean;
};

export const FORM_LIMITS = {
  minimumItemUsd: { least: 0, most: 1e12, usual: 3000 },
  loanTermYears: { least: 1, most: 50 },
} as const;

/** The terms of a form that was asked for without any. */
export const USUAL_FORM_TERMS: FormTerms = {
  minimumItemCents: 100 * FORM_LIMITS.minimumItemUsd.usual,
  loanTermYears: null,
  isHud: false,
};

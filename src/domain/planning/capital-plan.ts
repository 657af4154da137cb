import { COST_BASES, type CostBasis } from "../costs/component-costs.ts";
import { costVarianceByYear } from "./cost-variance.ts";
import {
  type LevelDeposit,
  levelDepositOf,
  type ReserveFunding,
  type ReserveNeeds,
  reserveByYear,
} from "./level-deposit.ts";
import { type PlanSums, STORED_SQUARE } from "./plan-sums.ts";

/** The standard deviation of costs that err together, as a share of them, by their basis; judgment. */
export const COST_ERROR: Readonly<Record<CostBasis, number>> = {
  own: 0.05,
  own_history: 0.1,
  scaled: 0.2,
  reference: 0.35,
};

export type PlanYear = {
  /** 1 is the year that begins now. */
  year: number;
  plannedCents: number;
  failureCents: number;
  repairCents: number;
  totalCents: number;
  /** The cost of the year if everything is run to failure. */
  runToFailureCents: number;
  /** `totalCents` with inflation. */
  inflatedCents: number;
};

/** The reserve at the end of a year, in whole cents. */
export type BalanceYear = {
  year: number;
  interestCents: number;
  depositCents: number;
  needCents: number;
  balanceCents: number;
  /** The straight-line share of used-up lives, inflated. */
  fullyFundedCents: number;
};

/** A capital plan in cents. Inflated amounts are whole cents, so that the figures shown add up. */
export type CapitalPlan = {
  schedule: PlanYear[];
  totals: {
    plannedCents: number;
    plannedInflatedCents: number;
    runToFailureCents: number;
    runToFailureInflatedCents: number;
  };
  /** The first yearly deposit that keeps the balance at or above the floor. */
  levelDeposit: LevelDeposit;
  /** The reserve by year with the deposit of 50%. */
  balances: BalanceYear[];
};

/**
 * Returns the schedule of the first `years` of the sums, its totals, the level deposits and the balances
 * (docs/model/planning.md#level-deposit). `inflation` is a yearly share, such as 0.03.
 */
export function capitalPlanOf(
  sums: PlanSums,
  years: number,
  inflation: number,
  funding: ReserveFunding,
): CapitalPlan {
  const schedule: PlanYear[] = [];
  const totals = {
    plannedCents: 0,
    plannedInflatedCents: 0,
    runToFailureCents: 0,
    runToFailureInflatedCents: 0,
  };
  for (let index = 0; index < years; index++) {
    const plannedCents = sums.years.planned[index]!;
    const failureCents = sums.years.failures[index]!;
    const repairCents = sums.years.repairs[index]!;
    const runToFailureCents = sums.years.runToFailure[index]!;
    const inflator = (1 + inflation) ** index;
    const totalCents = plannedCents + failureCents + repairCents;
    const inflatedCents = Math.round(totalCents * inflator);
    totals.plannedCents += totalCents;
    totals.plannedInflatedCents += inflatedCents;
    totals.runToFailureCents += runToFailureCents;
    totals.runToFailureInflatedCents += Math.round(runToFailureCents * inflator);
    const year = index + 1;
    schedule.push({
      year,
      plannedCents,
      failureCents,
      repairCents,
      totalCents,
      runToFailureCents,
      inflatedCents,
    });
  }
  const needs = reserveNeedsByYear(sums, years, inflation, funding.interest);
  const levelDeposit = levelDepositOf(needs, funding);
  const balances = reserveByYear(needs.cents, funding, levelDeposit[50].noise).map((reserveYear) => ({
    year: reserveYear.year,
    interestCents: Math.round(reserveYear.interestCents),
    depositCents: Math.round(reserveYear.depositCents),
    needCents: Math.round(reserveYear.needCents),
    balanceCents: Math.round(reserveYear.balanceCents),
    fullyFundedCents: Math.round(sums.years.accrued[reserveYear.year]! * (1 + inflation) ** reserveYear.year),
  }));
  return { schedule, totals, levelDeposit, balances };
}

/** Returns what the reserve has to pay: planned replacements and failures, inflated, after what is due now. */
export function reserveNeedsByYear(
  { years: rows, due, dueByBasis }: PlanSums,
  years: number,
  inflation: number,
  interest: number,
): ReserveNeeds {
  const cents: number[] = [];
  const costError: number[] = [];
  // Needs of each basis up to a year, compounded to its end.
  const upTo: Record<CostBasis, number> = { own: 0, own_history: 0, scaled: 0, reference: 0 };
  for (let index = 0; index < years; index++) {
    const inflator = (1 + inflation) ** index;
    const total = rows.planned[index]! + rows.failures[index]!;
    cents.push(total * inflator - (index === 0 ? due.cents : 0));
    let [all, weighted] = [0, 0];
    for (const basis of COST_BASES) {
      const need = rows.needs[basis][index]! * inflator - (index === 0 ? dueByBasis[basis] : 0);
      upTo[basis] = upTo[basis] * (1 + interest) + Math.max(0, need);
      all += upTo[basis];
      weighted += upTo[basis] * COST_ERROR[basis];
    }
    costError.push(all > 0 ? weighted / all : 0);
  }
  const squares = rows.squares.map((square) => square * STORED_SQUARE);
  const products = rows.products.map((product) => product * STORED_SQUARE);
  return {
    cents,
    variance: costVarianceByYear({ squares, products }, years, inflation, interest),
    costError,
  };
}

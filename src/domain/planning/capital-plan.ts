import type { YearlyCosts } from "./schedule.ts";

/** Confidence that a reserve suffices, in percent, and its normal deviate. */
const CONFIDENCES = { 50: 0, 80: 0.841621, 95: 1.644854 } as const;
type DepositConfidence = keyof typeof CONFIDENCES;
const DEPOSIT_CONFIDENCES = [50, 80, 95] as const satisfies readonly DepositConfidence[];

export type PlanYear = {
  /** 1 is the year that begins now. */
  year: number;
  plannedCents: number;
  failureCents: number;
  totalCents: number;
  /** The cost of the year if every part is run to failure. */
  runToFailureCents: number;
  /** `totalCents` with inflation. */
  inflatedCents: number;
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
  /** The yearly deposit that keeps a reserve, empty at first, from falling below zero. */
  levelDeposit: Record<DepositConfidence, number>;
};

/**
 * Returns the schedule over the years of `sums`, its totals and the level deposits
 * (docs/model/planning.md#level-deposit). `inflation` is a yearly share, such as 0.03.
 */
export function capitalPlanOf(sums: YearlyCosts, inflation: number): CapitalPlan {
  const totals = {
    plannedCents: 0,
    plannedInflatedCents: 0,
    runToFailureCents: 0,
    runToFailureInflatedCents: 0,
  };
  const levelDeposit = { 50: 0, 80: 0, 95: 0 };
  const schedule: PlanYear[] = [];
  let variance = 0;
  for (const [index, plannedCents] of sums.planned.entries()) {
    const year = index + 1;
    const failureCents = sums.failures[index]!;
    const runToFailureCents = sums.runToFailure[index]!;
    const inflator = (1 + inflation) ** index;
    const totalCents = plannedCents + failureCents;
    const inflatedCents = Math.round(totalCents * inflator);
    totals.plannedCents += totalCents;
    totals.plannedInflatedCents += inflatedCents;
    totals.runToFailureCents += runToFailureCents;
    totals.runToFailureInflatedCents += Math.round(runToFailureCents * inflator);
    variance += sums.variance[index]! * inflator ** 2;
    schedule.push({ year, plannedCents, failureCents, totalCents, runToFailureCents, inflatedCents });
    for (const confidence of DEPOSIT_CONFIDENCES) {
      const needed = totals.plannedInflatedCents + CONFIDENCES[confidence] * Math.sqrt(variance);
      levelDeposit[confidence] = Math.max(levelDeposit[confidence], needed / year);
    }
  }
  return { schedule, totals, levelDeposit };
}

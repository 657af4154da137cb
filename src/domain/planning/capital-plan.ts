import type { YearlyCosts } from "./schedule.ts";

/** How sure a reserve is to suffice, in per cent, with the normal deviate that it takes. */
const CONFIDENCES = { 50: 0, 80: 0.841621, 95: 1.644854 } as const;
type DepositConfidence = keyof typeof CONFIDENCES;
const DEPOSIT_CONFIDENCES = [50, 80, 95] as const satisfies readonly DepositConfidence[];

export type PlanYear = {
  /** 1 is the year that begins now. */
  year: number;
  plannedCents: number;
  failureCents: number;
  totalCents: number;
  /** What the year costs when every part is run to failure. */
  runToFailureCents: number;
  /** `totalCents` in the money of its year. */
  inflatedCents: number;
};

/** What some years hold, in cents. What is inflated is in whole ones, so that what is shown adds up. */
export type CapitalPlan = {
  schedule: PlanYear[];
  totals: {
    plannedCents: number;
    plannedInflatedCents: number;
    runToFailureCents: number;
    runToFailureInflatedCents: number;
  };
  /** The deposit a year that keeps a reserve which starts at nothing from falling below it. */
  levelDeposit: Record<DepositConfidence, number>;
};

/**
 * The schedule over the years of the sums, its totals, and the level deposits (docs/model/planning.md#level-deposit). Costs of year y are
 * multiplied by (1 + inflation)^(y − 1).
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

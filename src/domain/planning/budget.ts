/** A part that a budget could replace. Amounts in cents; `waitingCents` is the cost of waiting a year. */
export type Candidate = { id: string; plannedCents: number; waitingCents: number };

/** The allocation of a budget so far. */
export type Spending<C> = {
  /** In the order of selection. */
  chosen: C[];
  /** The planned cost of the chosen parts. */
  spentCents: number;
  /** The cost of waiting a year that their replacement avoids. */
  avoidedCents: number;
};

/** Returns the yearly saving per cent spent on a part. A part that costs nothing counts as costing a cent. */
const benefitCostRatio = ({ plannedCents, waitingCents }: Omit<Candidate, "id">) =>
  waitingCents / Math.max(plannedCents, 1);

/** Orders parts by cost of waiting per dollar of planned work, the highest first, then by id. */
export function byBenefitCostRatio(a: Candidate, b: Candidate): number {
  return benefitCostRatio(b) - benefitCostRatio(a) || (a.id < b.id ? -1 : 1);
}

/**
 * Adds to `spending` each candidate whose waiting costs anything and that the rest of the budget covers; others are
 * skipped (docs/model/planning.md#budget). Candidates come in the order of `byBenefitCostRatio`, in one batch or several.
 */
export function spendBudget<C extends Candidate>(
  spending: Spending<C>,
  amountCents: number,
  candidates: Iterable<C>,
): void {
  for (const candidate of candidates) {
    if (candidate.waitingCents <= 0) continue;
    if (candidate.plannedCents > amountCents - spending.spentCents) continue;
    spending.chosen.push(candidate);
    spending.spentCents += candidate.plannedCents;
    spending.avoidedCents += candidate.waitingCents;
  }
}

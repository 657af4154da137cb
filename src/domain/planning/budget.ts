/** A unit or part that a budget could replace. Amounts in cents; `waitingCents` is the cost of waiting a year. */
export type BudgetCandidate = {
  /** The ID of the appliance, for a unit, or of the component. */
  id: string;
  plannedCents: number;
  waitingCents: number;
  /** True for a hazard and for what is due for the safety of people: it comes first, whatever it costs. */
  isUrgent: boolean;
};

/** The allocation of a budget so far. */
export type BudgetSpending<C> = {
  /** In the order of selection. */
  chosen: C[];
  /** The planned cost of the chosen units and parts. */
  spentCents: number;
  /** The cost of waiting a year that their replacement avoids. */
  avoidedCents: number;
};

/** Later than any benefit-cost ratio, so that urgent work sorts first. */
const URGENT = 1e9;

/**
 * Returns the place in the order of spending, the best use of money first: minus the yearly saving per cent spent. What costs
 * nothing counts as costing a cent.
 */
export const budgetRankOf = ({ plannedCents, waitingCents, isUrgent }: Omit<BudgetCandidate, "id">) =>
  -(waitingCents / Math.max(plannedCents, 1)) - (isUrgent ? URGENT : 0);

/** Returns whether a rank is that of urgent work. */
export const isUrgentRank = (rank: number) => rank <= -URGENT / 2;

/** Orders candidates by their rank, then by id. */
export function compareBudgetRanks(a: BudgetCandidate, b: BudgetCandidate): number {
  return budgetRankOf(a) - budgetRankOf(b) || (a.id < b.id ? -1 : 1);
}

/** Returns whether a budget may replace it: waiting costs something, or people are at risk. */
export const isWorthBuying = ({ waitingCents, isUrgent }: Omit<BudgetCandidate, "id">) =>
  isUrgent || waitingCents > 0;

/**
 * Adds to `spending` each candidate that is worth buying and that the rest of the budget covers; others are skipped
 * (docs/model/planning.md#budget). Candidates come in the order of `compareBudgetRanks`, in one batch or several.
 */
export function spendBudget<C extends BudgetCandidate>(
  spending: BudgetSpending<C>,
  amountCents: number,
  candidates: Iterable<C>,
): void {
  for (const candidate of candidates) {
    if (!isWorthBuying(candidate)) continue;
    if (candidate.plannedCents > amountCents - spending.spentCents) continue;
    spending.chosen.push(candidate);
    spending.spentCents += candidate.plannedCents;
    spending.avoidedCents += candidate.waitingCents;
  }
}

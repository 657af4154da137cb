/** A part that money could be spent on, and what waiting a year with it costs. */
export type Candidate = { id: string; plannedCents: number; waitingCents: number };

export type Spending<C> = {
  /** In the order in which they were taken. */
  chosen: C[];
  /** What replacing them as planned work costs. */
  spentCents: number;
  /** The cost of waiting a year with them, which replacing them now saves. */
  avoidedCents: number;
};

/** What a cent spent on the part saves a year. A part that costs nothing counts as costing a cent. */
const benefitCostRatio = ({ plannedCents, waitingCents }: Omit<Candidate, "id">) =>
  waitingCents / Math.max(plannedCents, 1);

/** The order of spending: the highest cost of waiting per dollar first, then by id. */
export function byBenefitCostRatio(a: Candidate, b: Candidate): number {
  return benefitCostRatio(b) - benefitCostRatio(a) || (a.id < b.id ? -1 : 1);
}

/**
 * Takes, of parts in the order of `byWorth`, each whose waiting costs anything and that what is left of the budget
 * still pays for; one that it does not is passed over. May be called for one batch after the other.
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

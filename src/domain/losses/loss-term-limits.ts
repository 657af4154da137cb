/** The least and most of each term of a loss answer. */
export const LOSS_LIMITS = {
  deductibleUsd: { least: 0, most: 1_000_000_000 },
  /** A limit of less than a dollar would insure nothing. */
  limitUsd: { least: 1, most: 1_000_000_000 },
  riskLoad: { least: 0, most: 10 },
  lossAdjustmentRatio: { least: 0, most: 10 },
  /** The rest of the premium must pay losses. */
  expenseRatio: { least: 0, most: 0.95 },
} as const;

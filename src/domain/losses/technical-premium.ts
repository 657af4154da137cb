/** The terms of a technical premium; each is a ratio. */
export type PremiumTerms = {
  /** The price of a dollar of standard deviation. */
  riskLoad: number;
  /** The expense of adjusting a dollar of losses. */
  lossAdjustmentRatio: number;
  /** The share of the premium that expenses take; below 1. */
  expenseRatio: number;
};

/**
 * Returns the premium by the standard deviation principle (H. Bühlmann, "Mathematical Methods in Risk Theory", 1970), in
 * cents. `deviation` is the standard deviation of the insured losses, or a property's share of its book's.
 */
export const technicalPremium = (expected: number, deviation: number, terms: PremiumTerms) =>
  (expected * (1 + terms.lossAdjustmentRatio) + terms.riskLoad * deviation) / (1 - terms.expenseRatio);

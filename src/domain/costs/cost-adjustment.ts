/** The terms that the operator applies to all costs of the knowledge base. */
export type CostAdjustment = {
  /** Factors by state; null leaves the location out. A state without a factor has 1. */
  locationFactors: ReadonlyMap<string, number> | null;
  /** Today's prices ÷ those of the month that the costs are of. */
  priceLevel: number;
};

/** The origin of all costs: their month, and factors by state with their edition. */
export type CostOrigin = { ofMonth: string; edition: string; locationFactors: ReadonlyMap<string, number> };

/** What has been learned from an operator's own outcomes, beside the knowledge base (docs/model/calibration.md). */
export type Corrections = {
  /** Factor on the life of a component's kind; 1 for one that is not named. */
  lifeFactors: ReadonlyMap<string, number>;
  /** Factor on the hazard of all components of an appliance, by its id (Gamma frailty); 1 for one not named. */
  frailties: ReadonlyMap<string, number>;
  /** Powers on the ratios of the condition seen last, and of repairs and emergency repairs. */
  strength: { condition: number; repairs: number };
};

export const UNCORRECTED: Corrections = {
  lifeFactors: new Map(),
  frailties: new Map(),
  strength: { condition: 1, repairs: 1 },
};

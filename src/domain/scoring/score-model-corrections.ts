/** Corrections of the model by calibration (docs/model/calibration.md). */
export type ModelCorrections = {
  /** Factor on the life, by component kind; 1 if absent. */
  lifeFactors: ReadonlyMap<string, number>;
  /** Factor on the hazard of all components, by appliance id (Gamma frailty); 1 if absent. */
  frailties: ReadonlyMap<string, number>;
  /** Exponents on the ratio of the newest condition, and on those of repairs and emergency repairs. */
  strength: { condition: number; repairs: number };
};

/** The default model, without corrections. */
export const UNCORRECTED: ModelCorrections = {
  lifeFactors: new Map(),
  frailties: new Map(),
  strength: { condition: 1, repairs: 1 },
};

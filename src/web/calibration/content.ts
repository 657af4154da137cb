/** What the page of a calibration shows. Shares and probabilities are 0 to 1, days YYYY-MM-DD, ages in years. */
export type CalibrationContent = {
  asOf: string;
  /** The model of the executable, without corrections. */
  plainModel: string;
  lives: number;
  failures: number;
  frailtyShape: number | null;
  strength: { condition: number; repairs: number };
  failuresYearAgo: number;
  validation: {
    from: string;
    to: string;
    components: number;
    failed: number;
    better: boolean;
    logLossDifference: { mean: number; low: number; high: number } | null;
    before: ModelContent;
    after: ModelContent;
  };
  ends: { before: EndsContent; after: EndsContent };
  moved: readonly MovedKind[];
  curves: readonly CurveContent[];
};

export type Interval = { low: number; high: number };
export type MeasureName = "concordance" | "brierSkill" | "calibrationError" | "logLoss";

export type ModelContent = {
  measures: Readonly<Record<MeasureName, number | null>>;
  intervals: Readonly<Record<MeasureName, Interval | null>>;
  bins: readonly BinContent[];
};

export type BinContent = {
  from: number;
  to: number;
  components: number;
  failed: number;
  forecast: number | null;
  outcome: number | null;
  interval: Interval | null;
};

/** Shares of the lives in each tenth of the prior, and how far they are from a tenth. */
export type EndsContent = { shares: readonly number[]; chiSquared: number };

export type MovedKind = {
  /** "Gas storage water heater: Glass-lined tank". */
  name: string;
  lifeFactor: number;
  /** Median lives in years of normal use: of the book, and as fitted. */
  bookMedian: number;
  fittedMedian: number;
  failures: number;
  expected: number;
};

export type CurveContent = {
  name: string;
  lives: number;
  failures: number;
  shape: number;
  /** η in years of normal use, of the book and as fitted. */
  bookScale: number;
  fittedScale: number;
  frailtyShape: number | null;
  steps: readonly { age: number; atRisk: number; failed: number; survival: number; band: Interval }[];
};

/** The probability of outliving an age by the fitted model, over appliances of every frailty. */
export function fittedSurvival({ fittedScale, shape, frailtyShape }: CurveContent, age: number): number {
  const hazard = (age / fittedScale) ** shape;
  return frailtyShape === null ? Math.exp(-hazard) : (1 + hazard / frailtyShape) ** -frailtyShape;
}

export function bookSurvival({ bookScale, shape }: CurveContent, age: number): number {
  return Math.exp(-((age / bookScale) ** shape));
}

import type { calibrationPageFailureWindowRows } from "./calibration-page-failure-windows.ts";

/** The data of a calibration report. Shares and probabilities are 0 to 1, dates YYYY-MM-DD, ages in years. */
export type CalibrationContent = {
  asOf: string;
  /** The version of the default model. */
  defaultModel: string;
  lives: number;
  failures: number;
  frailtyShape: number | null;
  strength: { condition: number; repairs: number };
  validation: {
    from: string;
    to: string;
    components: number;
    failed: number;
    better: boolean;
    logLossDifference: { mean: number; low: number; high: number } | null;
    before: ModelContent;
    after: ModelContent;
    windows: Parameters<typeof calibrationPageFailureWindowRows>[0];
  };
  deciles: { before: DecileContent; after: DecileContent };
  corrections: readonly LifeCorrection[];
  curves: readonly CurveContent[];
  causes: CausesContent;
};

/** The variance that the failures of a year have in common. `before`: with the default variances; `after`: with those of other years. */
export type CausesContent = {
  classes: readonly {
    system: string;
    years: number;
    failures: number;
    expected: number;
    bookVariance: number;
    variance: number;
    isLearned: boolean;
    outside: { before: number; after: number };
  }[];
  years: readonly {
    year: number;
    failures: number;
    expected: number;
    intervals: { before: readonly [number, number]; after: readonly [number, number] };
  }[];
  outside: { before: number; after: number };
};

export type DrawnInterval = { low: number; high: number };
export type MeasureName = "concordance" | "brierSkill" | "calibrationError" | "logLoss" | "actualToExpected";

export type ModelContent = {
  measures: Readonly<Record<MeasureName, number | null>>;
  intervals: Readonly<Record<MeasureName, DrawnInterval | null>>;
  bins: readonly BinContent[];
};

export type BinContent = {
  from: number;
  to: number;
  components: number;
  failed: number;
  forecast: number | null;
  outcome: number | null;
  interval: DrawnInterval | null;
};

/** The shares of lifetimes in each decile of the prior, with the χ² statistic of their deviation from 10% each. */
export type DecileContent = { shares: readonly number[]; chiSquared: number };

export type LifeCorrection = {
  /** "Gas storage water heater: Glass-lined tank". */
  name: string;
  lifeFactor: number;
  /** Median lifetimes in years of normal use, by the default model and as calibrated. */
  defaultMedian: number;
  calibratedMedian: number;
  failures: number;
  expected: number;
};

export type CurveContent = {
  name: string;
  lives: number;
  failures: number;
  shape: number;
  /** Weibull scale η in years of normal use, by the default model and as calibrated. */
  defaultScale: number;
  calibratedScale: number;
  frailtyShape: number | null;
  steps: readonly { age: number; atRisk: number; failed: number; survival: number; band: DrawnInterval }[];
};

/** Returns the probability of surviving an age by the calibrated model, over appliances of all frailties. */
export function pageCalibratedSurvival(
  { calibratedScale, shape, frailtyShape }: CurveContent,
  age: number,
): number {
  const hazard = (age / calibratedScale) ** shape;
  return frailtyShape === null ? Math.exp(-hazard) : (1 + hazard / frailtyShape) ** -frailtyShape;
}

/** Returns the probability of surviving an age by the default model. */
export function uncalibratedSurvivalOnPage({ defaultScale, shape }: CurveContent, age: number): number {
  return Math.exp(-((age / defaultScale) ** shape));
}

import { normalProbability } from "../statistics/normal-distribution.ts";
import { ReproducibleSums } from "../statistics/reproducible-sum.ts";
import type { Steps } from "../steps/computation-steps.ts";

/** Two models' forecasts of a component's year, and its outcome (docs/model/calibration.md#proof). */
export type FailureForecast = {
  /** Probability of failing within the year, by the plain and the calibrated model. */
  before: number;
  after: number;
  failed: boolean;
};

/** Measures of a model at a year's outcomes; null where the year has too few, such as no failure. */
export type ForecastMeasures = {
  /** The probability that a part that failed had a higher forecast than one that did not. Ties count half. */
  concordance: number | null;
  /** 1 − mean squared error / variance of the outcome. */
  brierSkill: number | null;
  /** Expected calibration error over ten bins of equal width. */
  calibrationError: number | null;
  logLoss: number | null;
  /** Failures divided by those forecast: above 1 where more failed than forecast. */
  actualToExpected: number | null;
};

export type ProofInterval = { low: number; high: number };
type MeasureIntervals = { [Name in keyof ForecastMeasures]: ProofInterval | null };

/**
 * A bin of forecasts: the mean forecast, the share that failed, and the interval of that share; null where all resamples have the
 * same share, as without a failure, since they cannot say how far off it may be.
 */
type Bin = {
  from: number;
  to: number;
  components: number;
  failed: number;
  forecast: number | null;
  outcome: number | null;
  interval: ProofInterval | null;
};

export type ModelProof = { measures: ForecastMeasures; intervals: MeasureIntervals; bins: readonly Bin[] };

/** Both models' measures at one year's outcomes. */
export type Proof = {
  components: number;
  failed: number;
  before: ModelProof;
  after: ModelProof;
  /** After − before: negative where the calibrated model is better. */
  logLossDifference: { mean: number; low: number; high: number } | null;
  /** True if the interval of that difference lies below 0. */
  better: boolean;
};

/** The number of bins of forecasts, of equal width. */
export const BINS = 10;
const RESAMPLES = 400;
/** The normal number that 5% exceed: intervals are of 90%. */
const NORMAL_5_PERCENT = 1.6448536269514722;
/** With fewer properties that have outcomes, resamples of them say little about others. */
const FEWEST_PROPERTIES = 5;
/** The reason why a proof has no difference with an interval. */
export const LACKS_OUTCOMES = `fewer than ${FEWEST_PROPERTIES} properties have outcomes in the validation year`;
/** Forecasts are ranked by four decimals. */
const HIGHEST_RANK = 10_000;
/** Forecasts are kept this far from 0 and 1, whose log loss would be infinite. */
const SUREST = 1e-9;
const PROPERTIES_PER_STEP = 200;

/* The layout of a property's sums. */
const MODELS = ["before", "after"] as const;
const FAILED = 1;
const PER_MODEL = 2 + 3 * BINS;
const SQUARES = 0;
const LOSSES = 1;
const BIN_COMPONENTS = 2;
const BIN_FAILED = BIN_COMPONENTS + BINS;
const BIN_FORECASTS = BIN_FAILED + BINS;
const startOf = (model: number) => 2 + model * PER_MODEL;
const COUNT = startOf(MODELS.length);

/**
 * Measures both models at a year's outcomes, with intervals from resampling whole properties, since parts of one building
 * fail together. The result is the same for any order of properties and of the forecasts within.
 */
export function* validateForecastsInSteps(
  byProperty: readonly (readonly FailureForecast[])[],
  random: () => number,
): Steps<Proof> {
  const properties: Property[] = [];
  for (const [i, forecasts] of byProperty.entries()) {
    if (forecasts.length > 0) properties.push(summarize(forecasts));
    if (i % PROPERTIES_PER_STEP === 0) yield;
  }
  properties.sort(byContent);
  yield;
  const counts = yield* compactRanks(properties);
  const observed = measure(properties, undefined, counts);
  const resamples: Measured[] = [];
  for (let resample = 0; resample < RESAMPLES && properties.length >= FEWEST_PROPERTIES; resample++) {
    const weights = new Uint32Array(properties.length);
    for (let n = 0; n < properties.length; n++) weights[Math.floor(random() * properties.length)]!++;
    resamples.push(measure(properties, weights, counts));
    yield;
  }
  const tail = resampledTail(properties.length);
  const differences = resamples.map(({ difference }) => difference);
  const interval = intervalOf(differences, tail);
  return {
    components: observed.sums[0]!,
    failed: observed.sums[FAILED]!,
    before: modelProof(0, observed, resamples, tail),
    after: modelProof(1, observed, resamples, tail),
    logLossDifference:
      observed.difference === null || !interval ? null : { mean: observed.difference, ...interval },
    better: interval !== null && interval.high < 0,
  };
}

type Property = {
  sums: Float64Array;
  /** By model, for each component: 2 · rank of its forecast, + 1 if it failed. `compactRanks` renumbers the ranks. */
  ranks: readonly [Uint16Array, Uint16Array];
};

function summarize(forecasts: readonly FailureForecast[]): Property {
  const sums = new ReproducibleSums(COUNT);
  const ranks: [Uint16Array, Uint16Array] = [
    new Uint16Array(forecasts.length),
    new Uint16Array(forecasts.length),
  ];
  for (const [place, forecast] of forecasts.entries()) {
    const outcome = forecast.failed ? 1 : 0;
    sums.add(0, 1);
    sums.add(FAILED, outcome);
    for (const [model, name] of MODELS.entries()) {
      const probability = Math.min(1 - SUREST, Math.max(SUREST, forecast[name]));
      const at = startOf(model);
      const bin = Math.min(BINS - 1, Math.floor(probability * BINS));
      ranks[model]![place] = 2 * Math.round(probability * HIGHEST_RANK) + outcome;
      sums.add(at + SQUARES, (probability - outcome) ** 2);
      sums.add(at + LOSSES, -Math.log(forecast.failed ? probability : 1 - probability));
      sums.add(at + BIN_COMPONENTS + bin, 1);
      sums.add(at + BIN_FAILED + bin, outcome);
      sums.add(at + BIN_FORECASTS + bin, probability);
    }
  }
  return { sums: sums.values(), ranks };
}

/** Orders properties by content, so that the result does not depend on the order in which they were read. */
function byContent(a: Property, b: Property): number {
  for (let i = 0; i < COUNT; i++) if (a.sums[i] !== b.sums[i]) return a.sums[i]! - b.sums[i]!;
  return 0;
}

type Measured = {
  sums: Float64Array;
  models: readonly ForecastMeasures[];
  /** Difference of the mean log losses, after − before. */
  difference: number | null;
};

/** By model, the number of components that lasted and that failed at each rank, alternating. */
type Counts = readonly Uint32Array[];

/**
 * Renumbers the ranks without gaps, which makes resamples fast: a small fleet uses a few hundred of ten thousand. Returns
 * the arrays to count in.
 */
function* compactRanks(properties: readonly Property[]): Steps<Counts> {
  const counts: Uint32Array[] = [];
  for (const model of MODELS.keys()) {
    const places = new Uint16Array(HIGHEST_RANK + 1);
    for (const [i, { ranks }] of properties.entries()) {
      for (const rank of ranks[model]!) places[rank >> 1] = 1;
      if (i % PROPERTIES_PER_STEP === 0) yield;
    }
    let count = 0;
    for (let rank = 0; rank <= HIGHEST_RANK; rank++) if (places[rank]) places[rank] = count++;
    for (const [i, { ranks }] of properties.entries()) {
      const own = ranks[model]!;
      for (let place = 0; place < own.length; place++)
        own[place] = 2 * places[own[place]! >> 1]! + (own[place]! & 1);
      if (i % PROPERTIES_PER_STEP === 0) yield;
    }
    counts.push(new Uint32Array(2 * count));
  }
  return counts;
}

/** Measures both models over the properties, each weighted. Overwrites `counts`. */
function measure(
  properties: readonly Property[],
  weights: Uint32Array | undefined,
  counts: Counts,
): Measured {
  const sums = new Float64Array(COUNT);
  for (const ofModel of counts) ofModel.fill(0);
  for (const [i, property] of properties.entries()) {
    const weight = weights ? weights[i]! : 1;
    if (weight === 0) continue;
    for (let k = 0; k < COUNT; k++) sums[k]! += weight * property.sums[k]!;
    for (let model = 0; model < MODELS.length; model++)
      addRanks(counts[model]!, property.ranks[model]!, weight);
  }
  const models = MODELS.map((_, model) => ({
    concordance: concordanceOf(counts[model]!),
    ...measuresOf(sums, startOf(model)),
  }));
  const [before, after] = [models[0]!.logLoss, models[1]!.logLoss];
  return { sums, models, difference: before === null || after === null ? null : after - before };
}

function addRanks(counts: Uint32Array, ranks: Uint16Array, weight: number): void {
  for (let place = 0; place < ranks.length; place++) counts[ranks[place]!]! += weight;
}

function concordanceOf(counts: Uint32Array): number | null {
  let [below, won, failures] = [0, 0, 0];
  for (let place = 0; place < counts.length; place += 2) {
    const [lasted, failed] = [counts[place]!, counts[place + 1]!];
    won += failed * (below + lasted / 2);
    below += lasted;
    failures += failed;
  }
  return failures > 0 && below > 0 ? won / (failures * below) : null;
}

function measuresOf(sums: Float64Array, at: number): Omit<ForecastMeasures, "concordance"> {
  const [count, failed] = [sums[0]!, sums[FAILED]!];
  if (count === 0) return { brierSkill: null, calibrationError: null, logLoss: null, actualToExpected: null };
  const share = failed / count;
  const uninformed = share * (1 - share);
  let [error, expected] = [0, 0];
  for (let bin = 0; bin < BINS; bin++) {
    const forecast = sums[at + BIN_FORECASTS + bin]!;
    expected += forecast;
    error += Math.abs(forecast - sums[at + BIN_FAILED + bin]!);
  }
  return {
    brierSkill: uninformed > 0 ? 1 - sums[at + SQUARES]! / count / uninformed : null,
    calibrationError: error / count,
    logLoss: sums[at + LOSSES]! / count,
    actualToExpected: expected > 0 ? failed / expected : null,
  };
}

function modelProof(
  model: number,
  observed: Measured,
  resamples: readonly Measured[],
  tail: number,
): ModelProof {
  const interval = (name: keyof ForecastMeasures) =>
    intervalOf(
      resamples.map(({ models }) => models[model]![name]),
      tail,
    );
  return {
    measures: observed.models[model]!,
    intervals: {
      concordance: interval("concordance"),
      brierSkill: interval("brierSkill"),
      calibrationError: interval("calibrationError"),
      logLoss: interval("logLoss"),
      actualToExpected: interval("actualToExpected"),
    },
    bins: Array.from({ length: BINS }, (_, bin) => binOf(startOf(model), bin, observed, resamples, tail)),
  };
}

function binOf(
  at: number,
  bin: number,
  observed: Measured,
  resamples: readonly Measured[],
  tail: number,
): Bin {
  const shareOf = ({ sums }: Measured) =>
    sums[at + BIN_COMPONENTS + bin]! > 0
      ? sums[at + BIN_FAILED + bin]! / sums[at + BIN_COMPONENTS + bin]!
      : null;
  const components = observed.sums[at + BIN_COMPONENTS + bin]!;
  const interval = intervalOf(resamples.map(shareOf), tail);
  return {
    from: bin / BINS,
    to: (bin + 1) / BINS,
    components,
    failed: observed.sums[at + BIN_FAILED + bin]!,
    forecast: components > 0 ? observed.sums[at + BIN_FORECASTS + bin]! / components : null,
    outcome: shareOf(observed),
    interval: interval && interval.low < interval.high ? interval : null,
  };
}

/**
 * Returns the share of resamples beyond each end of a 90% interval. Resamples of few properties differ less than such
 * properties do, so that 5% would be too many: the expanded percentile interval (docs/model/calibration.md#proof).
 */
function resampledTail(properties: number): number {
  if (properties < FEWEST_PROPERTIES) return 0;
  return normalProbability(-Math.sqrt(properties / (properties - 1)) * studentQuantile(properties - 1));
}

/** Returns the number that 5% of Student's t exceed (Abramowitz and Stegun 1964, 26.7.5), to 0.001 from 4 degrees on. */
function studentQuantile(degrees: number): number {
  const x = NORMAL_5_PERCENT;
  const terms = [
    x,
    (x ** 3 + x) / 4,
    (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92_160,
  ];
  return terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
}

/** Returns the values without a tail at either end; null without any. */
function intervalOf(values: readonly (number | null)[], tail: number): ProofInterval | null {
  const found = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (found.length === 0) return null;
  const at = (share: number) => found[Math.round(share * (found.length - 1))]!;
  return { low: at(tail), high: at(1 - tail) };
}

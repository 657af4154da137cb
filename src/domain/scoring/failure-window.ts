import type { ScoringModel } from "../knowledge.ts";
import { ageAtHazard, cumulativeHazard } from "../statistics/weibull.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber } from "../time.ts";
import type { Outlook } from "./outlook.ts";

/** Days from today before and after which a failure has a probability of 10 % each. */
type FailureWindow = {
  earliestDays: number;
  /** Null beyond a hundred years. */
  latestDays: number | null;
};

/** Nodes and weights of a five-point Gauss–Hermite quadrature over the standard normal distribution. */
const NODES = [
  { z: -2.85697001387281, weight: 0.0112574113277207 },
  { z: -1.35562617997427, weight: 0.222075922005613 },
  { z: 0, weight: 8 / 15 },
  { z: 1.35562617997427, weight: 0.222075922005613 },
  { z: 2.85697001387281, weight: 0.0112574113277207 },
] as const;

/** The probability of failing before the window, and of outlasting it. */
export const WINDOW_TAIL = 0.1;
const LONGEST_DAYS = 100 * DAYS_PER_YEAR;
/** The relative change of a step, after which the next one would change no digit that is stated. */
const LAST_STEP = 1e-4;
/** More than any life takes: three or four. */
const MOST_STEPS = 100;
/** The precision of a day within the span of sensor warnings. */
const PRECISION = 1e-6;

/**
 * Returns the window that holds the failure of a working component with a probability of 80 %, given that the life itself
 * is known only within a log-normal error (docs/model/scoring.md#failure-window). `isCalibrated`: the life is a fitted one.
 */
export function failureWindow(outlook: Outlook, isCalibrated: boolean, model: ScoringModel): FailureWindow {
  const life = uncertainLife(outlook, isCalibrated, model);
  const { spanDays } = model.evidence.smartEvent;
  return {
    earliestDays: dayOfSurvival(life, 1 - WINDOW_TAIL, outlook, spanDays) ?? LONGEST_DAYS,
    latestDays: dayOfSurvival(life, WINDOW_TAIL, outlook, spanDays),
  };
}

/** Returns the probability of still working after some days, from which the window follows. */
export function failureWindowSurvival(
  outlook: Outlook,
  isCalibrated: boolean,
  model: ScoringModel,
): (days: number) => number {
  const life = uncertainLife(outlook, isCalibrated, model);
  const { spanDays } = model.evidence.smartEvent;
  return (days) => Math.exp(logSurvival(life, days, outlook, spanDays));
}

/** The failure window in days of the calendar. */
export type FailureDays = { earliest: Day; latest: Day | null };

/** Returns the failure window of a component that works on `asOf`. */
export function failureDays(
  outlook: Outlook,
  isCalibrated: boolean,
  asOf: Day,
  model: ScoringModel,
): FailureDays {
  const { earliestDays, latestDays } = failureWindow(outlook, isCalibrated, model);
  const today = dayNumber(asOf);
  const after = (days: number) => dayFromNumber(today + Math.round(days));
  return { earliest: after(earliestDays), latest: latestDays === null ? null : after(latestDays) };
}

/** The life of a working part, of which the length is known within an error, at each node of the error. */
type UncertainLife = {
  /** H: the cumulative hazard up to today of a life without error. */
  spent: number;
  /** The factors on the hazard. */
  factors: readonly number[];
  /** How likely each is, given that the part works today; their sum is 1. */
  likelihoods: readonly number[];
  /** The mean of the factors, and of their squares: the hazard of today and its fall, from which each solution starts. */
  meanFactor: number;
  meanSquare: number;
};

function uncertainLife(outlook: Outlook, isCalibrated: boolean, model: ScoringModel): UncertainLife {
  const { scaleYears, weibullShape, effectiveAgeYears, hazardRatio } = outlook;
  const error = isCalibrated ? model.lifeError.calibrated : model.lifeError.book;
  const spent = cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  // The hazard of a life that is e^(σz) times as long is e^(−βσz) times as high. Working today speaks for a longer life.
  const factors = [0, 0, 0, 0, 0];
  const likelihoods = [0, 0, 0, 0, 0];
  let total = 0;
  for (let at = 0; at < NODES.length; at++) {
    const { z, weight } = NODES[at]!;
    const factor = Math.exp(-weibullShape * error * z);
    const likelihood = weight * Math.exp(-factor * spent);
    factors[at] = hazardRatio * factor;
    likelihoods[at] = likelihood;
    total += likelihood;
  }
  let meanFactor = 0;
  let meanSquare = 0;
  for (let at = 0; at < NODES.length; at++) {
    const factor = factors[at]!;
    const likelihood = likelihoods[at]! / total;
    likelihoods[at] = likelihood;
    meanFactor += likelihood * factor;
    meanSquare += likelihood * factor * factor;
  }
  return { spent, factors, likelihoods, meanFactor, meanSquare };
}

/** Returns the logarithm of the probability of still working after some days. */
function logSurvival(
  { spent, factors, likelihoods }: UncertainLife,
  days: number,
  { scaleYears, weibullShape, effectiveAgeYears, rate, acuteHazard }: Outlook,
  spanDays: number,
): number {
  const age = effectiveAgeYears + (rate * days) / DAYS_PER_YEAR;
  const hazard = cumulativeHazard(age, scaleYears, weibullShape) - spent;
  let survival = 0;
  for (let at = 0; at < NODES.length; at++) survival += likelihoods[at]! * Math.exp(-factors[at]! * hazard);
  return Math.log(survival) - acuteHazard * Math.min(1, days / spanDays);
}

/** Returns the cumulative hazard from today on at which the survival is e^`log`, without sensor warnings. */
function hazardOfSurvival(
  { factors, likelihoods, meanFactor, meanSquare }: UncertainLife,
  log: number,
): number {
  let hazard = stepToSurvival(-log, meanFactor, meanSquare);
  let step = hazard;
  for (let steps = 1; Math.abs(step) > LAST_STEP * hazard && steps < MOST_STEPS; steps++) {
    let survival = 0;
    let fall = 0;
    let bend = 0;
    for (let at = 0; at < NODES.length; at++) {
      const factor = factors[at]!;
      const share = likelihoods[at]! * Math.exp(-factor * hazard);
      survival += share;
      fall += share * factor;
      bend += share * factor * factor;
    }
    step = stepToSurvival(Math.log(survival) - log, fall / survival, bend / survival);
    hazard += step;
  }
  return hazard;
}

/**
 * Returns Halley's step to the hazard at which the survival is lower by a factor, whose logarithm is `-excess`; Newton's where the
 * other one is not defined, which never leads past the solution. `fall` and `bend` are the means of the factors that still work,
 * and of their squares.
 */
function stepToSurvival(excess: number, fall: number, bend: number): number {
  const variance = bend - fall * fall;
  const slope = 2 * fall * fall - excess * variance;
  return slope > fall * fall ? (2 * excess * fall) / slope : excess / fall;
}

/** Returns the day on which the survival falls to a level; null beyond the longest window. */
function dayOfSurvival(
  life: UncertainLife,
  level: number,
  outlook: Outlook,
  spanDays: number,
): number | null {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, acuteHazard } = outlook;
  const target = Math.log(level);
  const afterSpan = target + acuteHazard;
  if (afterSpan < 0) {
    const age = ageAtHazard(life.spent + hazardOfSurvival(life, afterSpan), scaleYears, weibullShape);
    const days = ((age - effectiveAgeYears) / rate) * DAYS_PER_YEAR;
    if (days >= spanDays || acuteHazard === 0) return days < LONGEST_DAYS ? days : null;
  }
  let [low, high] = [0, spanDays];
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (logSurvival(life, middle, outlook, spanDays) > target) low = middle;
    else high = middle;
  }
  return high;
}

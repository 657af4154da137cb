import type { ScoringModel } from "../knowledge.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber } from "../time.ts";
import type { Outlook } from "./outlook.ts";
import { clamp } from "./ratios.ts";
import { ageAtHazard, cumulativeHazard } from "./weibull.ts";

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
/** The precision, in days. */
const PRECISION = 1e-3;

/**
 * Returns the window that holds the failure of a working component with a probability of 80 %, given that the life itself
 * is known only within a log-normal error (docs/model/scoring.md#failure-window). `isCalibrated`: the life is a fitted one.
 */
export function failureWindow(outlook: Outlook, isCalibrated: boolean, model: ScoringModel): FailureWindow {
  const survivalAt = survivalOf(outlook, isCalibrated, model);
  const earliestDays = dayOfSurvival(survivalAt, 1 - WINDOW_TAIL, 0, outlook) ?? LONGEST_DAYS;
  return { earliestDays, latestDays: dayOfSurvival(survivalAt, WINDOW_TAIL, earliestDays, outlook) };
}

/** Returns the probability of still working after some days, from which the window follows. */
export function windowSurvival(
  outlook: Outlook,
  isCalibrated: boolean,
  model: ScoringModel,
): (days: number) => number {
  const survivalAt = survivalOf(outlook, isCalibrated, model);
  return (days) => Math.exp(survivalAt(days).log);
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

type Survival = {
  /** Logarithm of the probability of still working. */
  log: number;
  /** Its fall per day: the hazard. */
  hazard: number;
};

/** Returns the survival after some days, over the error of the life. */
function survivalOf(
  outlook: Outlook,
  isCalibrated: boolean,
  model: ScoringModel,
): (days: number) => Survival {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard } = outlook;
  const { spanDays } = model.evidence.smartEvent;
  const error = isCalibrated ? model.lifeError.calibrated : model.lifeError.book;
  const spent = cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  // The hazard of a life that is e^(σz) times as long is e^(−βσz) times as high. Working today speaks for a longer life.
  const factors: number[] = [];
  const likelihoods: number[] = [];
  let total = 0;
  for (const { z, weight } of NODES) {
    const factor = Math.exp(-weibullShape * error * z);
    const likelihood = weight * Math.exp(-factor * spent);
    total += likelihood;
    factors.push(hazardRatio * factor);
    likelihoods.push(likelihood);
  }
  const perYear = (weibullShape * rate) / DAYS_PER_YEAR;
  return (days) => {
    const age = effectiveAgeYears + (rate * days) / DAYS_PER_YEAR;
    const hazard = cumulativeHazard(age, scaleYears, weibullShape);
    let survival = 0;
    let density = 0;
    for (let at = 0; at < factors.length; at++) {
      const factor = factors[at]!;
      const share = likelihoods[at]! * Math.exp(-factor * (hazard - spent));
      survival += share;
      density += share * factor;
    }
    const byAge = age > 0 ? (density / survival) * (hazard / age) * perYear : 0;
    return {
      log: Math.log(survival / total) - acuteHazard * Math.min(1, days / spanDays),
      hazard: byAge + (days < spanDays ? acuteHazard / spanDays : 0),
    };
  };
}

/**
 * Returns the day after `from` on which the survival falls to a level; null beyond the longest window. Newton's method
 * within a bracket, which it halves where a step would leave it. It starts where a certain life would have the level.
 */
function dayOfSurvival(
  survivalAt: (days: number) => Survival,
  level: number,
  from: number,
  { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio }: Outlook,
): number | null {
  const target = Math.log(level);
  const spent = cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  const age = ageAtHazard(spent - target / hazardRatio, scaleYears, weibullShape);
  let [low, high] = [from, LONGEST_DAYS];
  let day = clamp(((age - effectiveAgeYears) / rate) * DAYS_PER_YEAR, low, high);
  while (high - low > PRECISION) {
    const { log, hazard } = survivalAt(day);
    const excess = log - target;
    if (excess > 0) low = day;
    else high = day;
    const next = day + excess / hazard;
    if (Math.abs(next - day) < PRECISION && next < LONGEST_DAYS) return next;
    day = next > low && next < high ? next : (low + high) / 2;
  }
  return high === LONGEST_DAYS ? null : high;
}

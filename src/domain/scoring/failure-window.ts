import type { ScoringModel } from "../domain-knowledge.ts";
import { ageAtHazard, cumulativeHazard } from "../statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber } from "../time.ts";
import type { Outlook } from "./outlook.ts";
import { type UncertainLife, uncertainLife } from "./uncertain-life.ts";

/** Days from today before and after which a failure has a probability of 10% each. */
type FailureWindow = {
  earliestDays: number;
  /** Null beyond a hundred years. */
  latestDays: number | null;
};

/** The probability of failing before the window, and of outlasting it. */
export const WINDOW_TAIL = 0.1;
const LONGEST_DAYS = 100 * DAYS_PER_YEAR;
/** The precision of a day within the span of sensor warnings. */
const PRECISION = 1e-6;

/** The hazards that are added until the window begins, and until it ends. */
const ENDS = [-Math.log(1 - WINDOW_TAIL), -Math.log(WINDOW_TAIL)];

/**
 * Returns the window that holds the failure of a working component with a probability of 80%, given that the life itself
 * is known only within a log-normal error (docs/model/scoring.md#failure-window). `isCalibrated`: the life is a fitted one.
 */
export function failureWindow(outlook: Outlook, isCalibrated: boolean, model: ScoringModel): FailureWindow {
  const aged = agedUncertainLife(outlook, isCalibrated, model);
  const { spanDays } = model.evidence.smartEvent;
  const days = [0, 0];
  // A loop, so that what it calls is compiled once.
  for (let end = 0; end < 2; end++) days[end] = dayOfHazard(aged, ENDS[end]!, outlook, spanDays);
  const [earliestDays, latestDays] = [days[0]!, days[1]!];
  return {
    earliestDays: Math.min(earliestDays, LONGEST_DAYS),
    latestDays: latestDays < LONGEST_DAYS ? latestDays : null,
  };
}

/** Returns the probability of still working after some days, from which the window follows. */
export function failureWindowSurvival(
  outlook: Outlook,
  isCalibrated: boolean,
  model: ScoringModel,
): (days: number) => number {
  const aged = agedUncertainLife(outlook, isCalibrated, model);
  const { spanDays } = model.evidence.smartEvent;
  return (days) => Math.exp(-hazardUntil(days, aged, outlook, spanDays));
}

/** The failure window in days of the calendar. */
export type FailureWindowDays = { earliest: Day; latest: Day | null };

/** Returns the failure window of a component that works on `asOf`. */
export function failureWindowAsOf(
  outlook: Outlook,
  isCalibrated: boolean,
  asOf: Day,
  model: ScoringModel,
): FailureWindowDays {
  const { earliestDays, latestDays } = failureWindow(outlook, isCalibrated, model);
  const today = dayNumber(asOf);
  return {
    earliest: dayFromNumber(today + Math.round(earliestDays)),
    latest: latestDays === null ? null : dayFromNumber(today + Math.round(latestDays)),
  };
}

/** The life of a part that works today. */
type AgedUncertainLife = {
  life: UncertainLife;
  /** The cumulative hazard up to today of the life without error, and with it. */
  spent: number;
  spentWithError: number;
};

function agedUncertainLife(
  { scaleYears, weibullShape, effectiveAgeYears }: Outlook,
  isCalibrated: boolean,
  { lifeError }: ScoringModel,
): AgedUncertainLife {
  const life = uncertainLife(weibullShape * (isCalibrated ? lifeError.calibrated : lifeError.book));
  const spent = cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  return { life, spent, spentWithError: life.hazardWithError(spent) };
}

/** Returns the hazard that some days add. */
function hazardUntil(
  days: number,
  { life, spent, spentWithError }: AgedUncertainLife,
  { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard }: Outlook,
  spanDays: number,
): number {
  const age = effectiveAgeYears + (rate * days) / DAYS_PER_YEAR;
  const added = hazardRatio * (cumulativeHazard(age, scaleYears, weibullShape) - spent);
  return life.hazardWithError(spent + added) - spentWithError + acuteHazard * Math.min(1, days / spanDays);
}

/** Returns the day until which a hazard is added. */
function dayOfHazard(aged: AgedUncertainLife, hazard: number, outlook: Outlook, spanDays: number): number {
  const { life, spent, spentWithError } = aged;
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard } = outlook;
  const byAge = hazard - acuteHazard;
  if (byAge > 0) {
    const added = (life.hazardWithoutError(spentWithError + byAge) - spent) / hazardRatio;
    const age = ageAtHazard(spent + added, scaleYears, weibullShape);
    const days = ((age - effectiveAgeYears) / rate) * DAYS_PER_YEAR;
    if (days >= spanDays || acuteHazard === 0) return days;
  }
  return dayWithinSpan(aged, hazard, outlook, spanDays);
}

/** Returns the day within the span of sensor warnings until which a hazard is added. */
function dayWithinSpan(aged: AgedUncertainLife, hazard: number, outlook: Outlook, spanDays: number): number {
  let [low, high] = [0, spanDays];
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (hazardUntil(middle, aged, outlook, spanDays) < hazard) low = middle;
    else high = middle;
  }
  return high;
}

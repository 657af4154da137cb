import type { ScoringModel } from "../domain-knowledge.ts";
import {
  ageAtHazard,
  ageAtProbability,
  cumulativeHazard,
  medianFromScale,
} from "../statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber, yearOfDayNumber } from "../time.ts";
import { clamp } from "./hazard-ratios.ts";
import { roundScore } from "./risk-tier.ts";
import type { Confidence, ScoreState } from "./scoring-types.ts";

/** A component's life, age and evidence: the input of every projection. */
export type Outlook = Omit<ScoreState, "lifeFactor"> & {
  /** Scale η of the life, in years of normal use. */
  scaleYears: number;
  /** Shape β of the life. */
  weibullShape: number;
};

export type Projection = {
  projectedFailureYear: number;
  projectedFailureRange: { earliest: number; latest: number; confidencePct: number };
  /** Calendar years from new to an even chance of having failed: L. */
  effectiveLifespanYears: number;
};

/** Returns the probability of failing within `days`, given that it works today (docs/model/scoring.md#failure-probability). */
export function failureProbability(outlook: Outlook, days: number, model: ScoringModel): number {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard } = outlook;
  const later = effectiveAgeYears + (rate * days) / DAYS_PER_YEAR;
  const byAge =
    cumulativeHazard(later, scaleYears, weibullShape) -
    cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  const acute = acuteHazard * Math.min(1, days / model.evidence.smartEvent.spanDays);
  return 0 - Math.expm1(-hazardRatio * byAge - acute); // 0 -, since a bare minus makes -0 of 0
}

/** Returns the calendar years from new to an even chance of having failed: L. */
export function effectiveLifespan({
  scaleYears,
  weibullShape,
  rate,
}: Pick<Outlook, "scaleYears" | "weibullShape" | "rate">): number {
  return medianFromScale(scaleYears, weibullShape) / rate;
}

/** Returns the scored period in days: a year, or less for a short life (docs/model/scoring.md#what-a-score-is). */
export function scoredPeriodDays(outlook: Outlook, { score }: ScoringModel): number {
  return Math.min(score.periodDays, score.shareOfLife * effectiveLifespan(outlook) * DAYS_PER_YEAR);
}

/** Returns the probability of failing within the scored period: q. */
export function riskWithinScoredPeriod(outlook: Outlook, model: ScoringModel): number {
  return failureProbability(outlook, scoredPeriodDays(outlook, model), model);
}

/** Returns the score before rounding: the probability of failing within several periods as risky as the coming one. */
export function cumulativeRiskOverScorePeriods(risk: number, { score }: ScoringModel): number {
  return 0 - Math.expm1(score.periods * Math.log1p(-risk));
}

/** Returns the age at which the prior reaches its limit. No part counts as older. */
export function highestScoredAge(scaleYears: number, shape: number, model: ScoringModel): number {
  return ageAtProbability(model.highestPrior, scaleYears, shape);
}

/** Returns the risk score in `days` days through aging alone, with the evidence of today. */
export function scoreByAging(outlook: Outlook, days: number, model: ScoringModel): number {
  const highest = highestScoredAge(outlook.scaleYears, outlook.weibullShape, model);
  const older = outlook.effectiveAgeYears + (outlook.rate * days) / DAYS_PER_YEAR;
  const aged = { ...outlook, effectiveAgeYears: clamp(older, outlook.effectiveAgeYears, highest) };
  return roundScore(
    cumulativeRiskOverScorePeriods(riskWithinScoredPeriod(aged, model), model),
    model.score.highest,
  );
}

/** Returns the days until failing earlier is as likely as not, sensor warnings aside. */
export function daysToEvenOdds(outlook: Outlook): number {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio } = outlook;
  const hazard = cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape) + Math.LN2 / hazardRatio;
  return ((ageAtHazard(hazard, scaleYears, weibullShape) - effectiveAgeYears) / rate) * DAYS_PER_YEAR;
}

/** Returns the first day by which a component that works on `asOf` has failed with even odds. */
export const evenOddsFailureDay = (outlook: Outlook, asOf: Day): Day =>
  dayFromNumber(Math.min(evenOddsDay(outlook, dayNumber(asOf)), LAST_DAY));

/** Projects the failure of a component that works on `asOf` (docs/model/scoring.md#time-to-failure). */
export function projectFailure(
  outlook: Outlook,
  confidence: Confidence,
  asOf: Day,
  model: ScoringModel,
): Projection {
  const today = dayNumber(asOf);
  const day = evenOddsDay(outlook, today);
  const effectiveLifespanYears = effectiveLifespan(outlook);
  const margin = model.confidence.rangeShare[confidence] * effectiveLifespanYears * DAYS_PER_YEAR;
  return {
    projectedFailureYear: calendarYear(day),
    projectedFailureRange: {
      earliest: calendarYear(Math.max(today, Math.round(day - margin))),
      latest: calendarYear(Math.round(day + margin)),
      confidencePct: model.confidence.confidencePct[confidence],
    },
    effectiveLifespanYears,
  };
}

const evenOddsDay = (outlook: Outlook, today: number): number => today + Math.ceil(daysToEvenOdds(outlook));

/** The number of the last day that can be written. */
const LAST_DAY = dayNumber("9999-12-31");

/** Returns the year of a day number. */
const calendarYear = (number: number): number => yearOfDayNumber(Math.min(number, LAST_DAY));

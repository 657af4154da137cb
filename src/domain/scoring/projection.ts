import type { ScoringModel } from "../knowledge.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber, yearOf } from "../time.ts";
import { posterior } from "./bayes.ts";
import { roundScore } from "./tier.ts";
import type { BrandTier, Confidence, ScoreState } from "./types.ts";
import {
  ageAtHazard,
  ageAtProbability,
  cumulativeHazard,
  cumulativeProbability,
  scaleFromMedian,
} from "./weibull.ts";

/** The life of a component: what looking ahead needs beside its state. */
export type Life = {
  medianLifeYears: number;
  weibullShape: number;
  brandTier: BrandTier;
  /** Years; replaces the median life. */
  overrideLifespan: number | null;
};

export type Projection = {
  projectedFailureYear: number;
  projectedFailureOn: Day;
  projectedFailureRange: { earliest: number; latest: number; confidencePct: number };
  /** Calendar years from new to an even chance of having failed, at the component's rate of ageing. */
  effectiveLifespanYears: number;
};

/** Median life in years of normal use: the component's own where one is set, times its brand's factor. */
export function brandedMedian(life: Life, model: ScoringModel): number {
  return (life.overrideLifespan ?? life.medianLifeYears) * model.brandFactor[life.brandTier];
}

/** The probability of failing within `days`, given that it works today. */
export function failureProbability(state: ScoreState, life: Life, days: number, model: ScoringModel): number {
  const { scale, shape, age } = impliedAge(state, life, model);
  const later = age + (state.rate * days) / DAYS_PER_YEAR;
  return 0 - Math.expm1(cumulativeHazard(age, scale, shape) - cumulativeHazard(later, scale, shape));
}

/** The risk score in `days` days through ageing alone, the evidence held as it is. */
export function scoreByAgeing(state: ScoreState, life: Life, days: number, model: ScoringModel): number {
  const scale = scaleFromMedian(brandedMedian(life, model), life.weibullShape);
  const age = state.priorAgeYears + (state.rate * days) / DAYS_PER_YEAR;
  const prior = cumulativeProbability(age, scale, life.weibullShape);
  return roundScore(posterior(prior, state.evidenceRatio), model.highestScore);
}

/** The first day by which it fails with a probability of one half, given that it works on `asOf`. */
export function project(
  state: ScoreState,
  life: Life,
  confidence: Confidence,
  asOf: Day,
  model: ScoringModel,
): Projection {
  const { scale, shape, age } = impliedAge(state, life, model);
  const evenAge = ageAtHazard(cumulativeHazard(age, scale, shape) + Math.LN2, scale, shape);
  const today = dayNumber(asOf);
  const day = today + Math.ceil(((evenAge - age) / state.rate) * DAYS_PER_YEAR);
  const effectiveLifespanYears = brandedMedian(life, model) / state.rate;
  const margin = model.confidence.rangeShare[confidence] * effectiveLifespanYears * DAYS_PER_YEAR;
  const projectedFailureOn = calendarDay(day);
  return {
    projectedFailureYear: yearOf(projectedFailureOn),
    projectedFailureOn,
    projectedFailureRange: {
      earliest: yearOf(calendarDay(Math.max(today, Math.round(day - margin)))),
      latest: yearOf(calendarDay(Math.round(day + margin))),
      confidencePct: model.confidence.confidencePct[confidence],
    },
    effectiveLifespanYears,
  };
}

/** The age at which the prior alone would give the state's probability. */
function impliedAge(state: ScoreState, life: Life, model: ScoringModel) {
  const shape = life.weibullShape;
  const scale = scaleFromMedian(brandedMedian(life, model), shape);
  const probability = Math.min(state.probability, model.highestProbabilityForTime);
  return { scale, shape, age: ageAtProbability(probability, scale, shape) };
}

const LAST_DAY = dayNumber("9999-12-31");

/** A long enough life reaches past the years that a day can be written in. */
function calendarDay(number: number): Day {
  return dayFromNumber(Math.min(number, LAST_DAY));
}

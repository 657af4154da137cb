import type { ScoringModel } from "../domain-knowledge.ts";
import { highestScoredAge } from "../scoring/outlook.ts";
import {
  createUnknownPast,
  failureProbabilitySinceRecordBegan,
  hazardSinceRecordBegan,
  type UnknownPast,
} from "../scoring/unknown-past.ts";
import { ageAtProbability, cumulativeHazard } from "../statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR } from "../time.ts";
import type { LifeOnRecord, LifeYear } from "./calibration-life.ts";

/** The days of a forecast year, equal to the period of a score. */
export const HAZARD_YEAR_DAYS = 365;

type Aging = Pick<LifeOnRecord, "scale" | "shape" | "entryAge" | "pastIsUnknown">;

/**
 * Returns H, the failures to expect of a life while it accrues `accrued` years of virtual age, evidence and frailty aside
 * (docs/model/calibration.md#expected-failures). `correction` is that of its kind's log life.
 */
export function expectedFailuresOfLife(
  life: Aging,
  accrued: number,
  correction: number,
  cache?: UnknownPastCache,
): number {
  const { shape, entryAge } = life;
  const scale = life.scale * Math.exp(correction);
  if (life.pastIsUnknown) {
    const nominalAge = entryAge / scale;
    const past = cache?.get(shape, nominalAge) ?? createUnknownPast(shape, nominalAge);
    return hazardSinceRecordBegan(past, accrued / scale);
  }
  return cumulativeHazard(entryAge + accrued, scale, shape) - cumulativeHazard(entryAge, scale, shape);
}

/** A cache of unknown pasts: parts of one kind that were installed and registered together share one. */
export class UnknownPastCache {
  readonly #byShape = new Map<number, Map<number, UnknownPast>>();

  get(shape: number, nominalAge: number): UnknownPast {
    const ofShape = this.#byShape.get(shape) ?? new Map<number, UnknownPast>();
    this.#byShape.set(shape, ofShape);
    const past = ofShape.get(nominalAge) ?? createUnknownPast(shape, nominalAge);
    ofShape.set(nominalAge, past);
    return past;
  }
}

/** Returns h, the cumulative hazard of a year by age alone, with a corrected log life and a frailty on the hazard. */
export function expectedFailuresInYear(
  life: LifeOnRecord,
  year: LifeYear,
  { correction, frailty }: { correction: number; frailty: number },
  model: ScoringModel,
): number {
  const { shape, rate } = life;
  const scale = life.scale * Math.exp(correction) * frailty ** (-1 / shape);
  const effectiveAgeYears = effectiveAge(life, year, scale, model);
  const later = effectiveAgeYears + (rate * HAZARD_YEAR_DAYS) / DAYS_PER_YEAR;
  return cumulativeHazard(later, scale, shape) - cumulativeHazard(effectiveAgeYears, scale, shape);
}

/** Returns the effective age. It uses no cache, since each appliance has a scale of its own. */
function effectiveAge(
  { shape, entryAge, pastIsUnknown }: LifeOnRecord,
  { virtualAge }: LifeYear,
  scale: number,
  model: ScoringModel,
): number {
  const highest = highestScoredAge(scale, shape, model);
  if (!pastIsUnknown) return Math.min(virtualAge, highest);
  const prior = failureProbabilitySinceRecordBegan(
    createUnknownPast(shape, entryAge / scale),
    virtualAge / scale,
  );
  return Math.min(ageAtProbability(prior, scale, shape), highest);
}

import type { ComponentDef, Environment, ScoringModel } from "../knowledge.ts";
import { DAYS_PER_YEAR } from "../time.ts";
import type { Corrections } from "./corrections.ts";
import { highestAge } from "./outlook.ts";
import { PriorCache } from "./renewal.ts";
import { lastReplacement, type Timeline } from "./timeline.ts";
import type { AgedLife, BrandTier, ComponentHistory } from "./types.ts";
import { agingFrom, agingRate, virtualAge } from "./virtual-age.ts";
import { ageAtProbability, cumulativeProbability, scaleFromMedian } from "./weibull.ts";

/** What a component's life depends on beside its own record. */
type LifeSetting = {
  brandTier: BrandTier;
  usageIntensity: number;
  environment: Environment;
  /** Day from which the property's service record counts as complete. */
  recordsSince: number;
  /** Factor on the life, from calibration; see `calibratedLife`. */
  lifeFactor: number;
};

const pasts = new PriorCache();

/** Scale η of a component's life: its own lifespan where one is set, its brand's factor, and what was calibrated. */
export function lifeScale(
  def: ComponentDef,
  overrideLifespan: number | null,
  { brandTier, lifeFactor }: Pick<LifeSetting, "brandTier" | "lifeFactor">,
  model: ScoringModel,
): number {
  const median = (overrideLifespan ?? def.medianLifeYears) * model.brandFactor[brandTier] * lifeFactor;
  return scaleFromMedian(median, def.weibullShape);
}

/** The factor on a component's life: its kind's, and what the frailty of its appliance, a factor on the hazard, is on a life. */
export function calibratedLife(def: ComponentDef, applianceId: string, corrections: Corrections): number {
  const factor = corrections.lifeFactors.get(def.id) ?? 1;
  const frailty = corrections.frailties.get(applianceId) ?? 1;
  return frailty === 1 ? factor : factor * frailty ** (-1 / def.weibullShape);
}

/** A component's age as of `today`, from the events up to it. */
export function agedLife(
  def: ComponentDef,
  component: ComponentHistory,
  events: Timeline,
  setting: LifeSetting,
  today: number,
  model: ScoringModel,
): AgedLife {
  const shape = def.weibullShape;
  const scaleYears = lifeScale(def, component.overrideLifespan, setting, model);
  const rate = agingRate(def, setting.usageIntensity, setting.environment, model);
  const replacedOn = lastReplacement(component, events, today);
  const bornOn = agingFrom(component.installYear, replacedOn);
  const isUnknown = def.replaced === "alone" && replacedOn === undefined && bornOn < setting.recordsSince;
  const from = isUnknown ? setting.recordsSince : bornOn;
  const virtualAgeYears = virtualAge(def, component.id, events, { from, today, rate }, model);
  const life = { scaleYears, rate, replacedOn, bornOn, virtualAgeYears };
  const unknownPastYears = isUnknown ? (rate * (setting.recordsSince - bornOn)) / DAYS_PER_YEAR : undefined;
  return {
    ...life,
    unknownPastYears,
    ...ageByPrior(scaleYears, shape, unknownPastYears, virtualAgeYears, model),
  };
}

/**
 * The probability of having failed by now from age alone, and the age that has it; of an unknown past by its nominal
 * virtual age when the record began and what was gained since.
 */
function ageByPrior(
  scaleYears: number,
  shape: number,
  unknownPastYears: number | undefined,
  virtualAgeYears: number,
  model: ScoringModel,
): Pick<AgedLife, "prior" | "effectiveAgeYears"> {
  if (unknownPastYears === undefined) {
    const effectiveAgeYears = Math.min(virtualAgeYears, highestAge(scaleYears, shape, model));
    return { prior: cumulativeProbability(effectiveAgeYears, scaleYears, shape), effectiveAgeYears };
  }
  const found = pasts.prior(shape, unknownPastYears / scaleYears, virtualAgeYears / scaleYears);
  const prior = Math.min(found, model.highestPrior);
  return { prior, effectiveAgeYears: ageAtProbability(prior, scaleYears, shape) };
}

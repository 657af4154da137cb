import type { ComponentDef, PlaceEnvironment, ScoringModel } from "../domain-knowledge.ts";
import {
  ageAtProbability,
  cumulativeProbability,
  scaleFromMedian,
} from "../statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR } from "../time.ts";
import { type DatedEvents, lastReplacementDay } from "./dated-events.ts";
import { highestScoredAge } from "./outlook.ts";
import type { ModelCorrections } from "./score-model-corrections.ts";
import type { AgedLife, BrandTier, ComponentHistory, InstallYearBasis } from "./scoring-types.ts";
import { PriorCache } from "./unknown-past.ts";
import { agingRate, partBirthDay, virtualAge } from "./virtual-age.ts";

/** The conditions of a component's life, beside its own record. */
type LifeSetting = {
  brandTier: BrandTier;
  usageIntensity: number;
  environment: PlaceEnvironment;
  /** The day number from which the property's service record is complete. */
  recordsSince: number;
  installYearBasis: InstallYearBasis;
  /** Factor on the life from `calibratedLifeFactor`. */
  lifeFactor: number;
};

const priors = new PriorCache();

/** Returns the scale η of a component's life in years of normal use (docs/model/scoring.md#life). */
export function lifeScale(
  def: ComponentDef,
  overrideLifespan: number | null,
  { brandTier, lifeFactor }: Pick<LifeSetting, "brandTier" | "lifeFactor">,
  model: ScoringModel,
): number {
  const median = (overrideLifespan ?? def.medianLifeYears) * model.brandFactor[brandTier] * lifeFactor;
  return scaleFromMedian(median, def.weibullShape);
}

/** Returns the factor on a component's life: its kind's, times its appliance's frailty turned from hazard to life. */
export function calibratedLifeFactor(
  def: ComponentDef,
  applianceId: string,
  corrections: ModelCorrections,
): number {
  const factor = corrections.lifeFactors.get(def.id) ?? 1;
  const frailty = corrections.frailties.get(applianceId) ?? 1;
  return frailty === 1 ? factor : factor * frailty ** (-1 / def.weibullShape);
}

/** Returns a component's age on the day number `today`, from the events up to it (docs/model/scoring.md#virtual-age). */
export function agedLife(
  def: ComponentDef,
  component: ComponentHistory,
  events: DatedEvents,
  setting: LifeSetting,
  today: number,
  model: ScoringModel,
): AgedLife {
  const shape = def.weibullShape;
  const scaleYears = lifeScale(def, component.overrideLifespan, setting, model);
  const rate = agingRate(def, setting.usageIntensity, setting.environment, model);
  const replacedOn = lastReplacementDay(component, events, today);
  const bornOn = partBirthDay(component.installYear, replacedOn);
  const { installYearBasis, recordsSince } = setting;
  const { past, installYear, installYearGiven } = component;
  const isUnknown =
    replacedOn === undefined &&
    hasUnknownPast(def, { past, installYear, installYearGiven, installYearBasis }, recordsSince);
  const from = isUnknown ? recordsSince : bornOn;
  const virtualAgeYears = virtualAge(def, component.id, events, { from, today, rate }, model);
  const life = { scaleYears, rate, replacedOn, bornOn, virtualAgeYears };
  const unknownPastYears = isUnknown ? (rate * (recordsSince - bornOn)) / DAYS_PER_YEAR : undefined;
  return {
    ...life,
    unknownPastYears,
    ...ageByPrior(scaleYears, shape, unknownPastYears, virtualAgeYears, model),
  };
}

/**
 * Returns whether the past of a component without a Replacement on record is unknown: it is older than the record, which
 * begins on the day number `recordsSince`, and may have succeeded another part. Nobody knows the age of a part that has its
 * building's year.
 */
export function hasUnknownPast(
  def: Pick<ComponentDef, "replaced">,
  component: Pick<ComponentHistory, "past" | "installYear" | "installYearGiven"> & {
    installYearBasis: InstallYearBasis;
  },
  recordsSince: number,
): boolean {
  return (
    mayHaveReplacedEarlierPart(def, component, component.installYearBasis) &&
    partBirthDay(component.installYear, undefined) < recordsSince
  );
}

/** Returns whether a component without a Replacement on record can have replaced another before the record began. */
export function mayHaveReplacedEarlierPart(
  def: Pick<ComponentDef, "replaced">,
  { past, installYearGiven }: Pick<ComponentHistory, "past" | "installYearGiven">,
  basis: InstallYearBasis,
): boolean {
  if (past !== null) return past === "unknown";
  return def.replaced === "alone" || (basis === "year_built" && !installYearGiven);
}

/**
 * Returns the probability of having failed by now from age alone, and the age that has it. With an unknown past they
 * follow from the nominal age when the record began and the virtual age since.
 */
function ageByPrior(
  scaleYears: number,
  shape: number,
  unknownPastYears: number | undefined,
  virtualAgeYears: number,
  model: ScoringModel,
): Pick<AgedLife, "prior" | "effectiveAgeYears"> {
  if (unknownPastYears === undefined) {
    const effectiveAgeYears = Math.min(virtualAgeYears, highestScoredAge(scaleYears, shape, model));
    return { prior: cumulativeProbability(effectiveAgeYears, scaleYears, shape), effectiveAgeYears };
  }
  const found = priors.prior(shape, unknownPastYears / scaleYears, virtualAgeYears / scaleYears);
  const prior = Math.min(found, model.highestPrior);
  return { prior, effectiveAgeYears: ageAtProbability(prior, scaleYears, shape) };
}

import type { ComponentDef, Environment, EnvironmentFactor, ScoringModel } from "../knowledge.ts";
import type { Corrections } from "../scoring/corrections.ts";
import type { AgedLife, ApplianceHistory, BrandTier, ComponentHistory } from "../scoring/types.ts";
import { environmentFactor, useFactor } from "../scoring/virtual-age.ts";
import { medianFromScale } from "../scoring/weibull.ts";

/** How a component's life came about: the median is the product of the factors. Years of normal use. */
export type LifeParts = {
  medianYears: number;
  /** The median is the component's own, in place of the knowledge base's. */
  isOverridden: boolean;
  brandTier: BrandTier;
  brandFactor: number;
  /** What calibration has learned of its kind; 1 without. */
  kindFactor: number;
  /** What calibration has learned of its appliance, a factor on the hazard (z); 1 without. */
  frailty: number;
  /** What the frailty is as a factor on the life: z^(−1/β). */
  frailtyFactor: number;
  /** The product of all of them. */
  calibratedMedianYears: number;
  shape: number;
  scaleYears: number;
};

export function lifeParts(
  def: ComponentDef,
  { overrideLifespan }: ComponentHistory,
  { id, brandTier }: ApplianceHistory,
  { scaleYears }: AgedLife,
  corrections: Corrections,
  model: ScoringModel,
): LifeParts {
  const shape = def.weibullShape;
  const frailty = corrections.frailties.get(id) ?? 1;
  return {
    medianYears: overrideLifespan ?? def.medianLifeYears,
    isOverridden: overrideLifespan !== null,
    brandTier,
    brandFactor: model.brandFactor[brandTier],
    kindFactor: corrections.lifeFactors.get(def.id) ?? 1,
    frailty,
    frailtyFactor: frailty ** (-1 / shape),
    calibratedMedianYears: medianFromScale(scaleYears, shape),
    shape,
    scaleYears,
  };
}

/** How the rate of ageing came about: use divided by what the surroundings leave of a life. */
export type RateParts = {
  wear: ComponentDef["wear"];
  usageIntensity: number;
  usageExponent: number;
  useFactor: number;
  surroundings: { factor: EnvironmentFactor; sensitivity: number; value: number; lifeFactor: number }[];
  /** Product of the surroundings' factors, before the limit. */
  product: number;
  lowest: number;
  lifeFactor: number;
  /** Years of normal use that a calendar year adds: r. */
  rate: number;
};

export function rateParts(
  def: ComponentDef,
  usageIntensity: number,
  environment: Environment,
  { rate }: AgedLife,
  model: ScoringModel,
): RateParts {
  const { sensitivity, lowestLifeFactor } = model.environment;
  const surroundings = def.environment.map((factor) => ({
    factor,
    sensitivity: sensitivity[factor],
    value: environment[factor],
    lifeFactor: environmentFactor(factor, environment, model),
  }));
  const product = surroundings.reduce((all, { lifeFactor }) => all * lifeFactor, 1);
  return {
    wear: def.wear,
    usageIntensity,
    usageExponent: model.usageExponent,
    useFactor: useFactor(def, usageIntensity, model),
    surroundings,
    product,
    lowest: lowestLifeFactor,
    lifeFactor: Math.max(product, lowestLifeFactor),
    rate,
  };
}

import type { ComponentDef, EnvironmentFactor, PlaceEnvironment, ScoringModel } from "../domain-knowledge.ts";
import type { ModelCorrections } from "../scoring/score-model-corrections.ts";
import type { AgedLife, ApplianceHistory, BrandTier, ComponentHistory } from "../scoring/scoring-types.ts";
import { environmentFactor, usageFactor } from "../scoring/virtual-age.ts";
import { medianFromScale } from "../statistics/weibull-distribution.ts";

/** The calculation of a component's life: the calibrated median is the product of the factors. Years of normal use. */
export type LifeParts = {
  medianYears: number;
  /** True if the component's own lifespan replaces the median of the knowledge base. */
  isOverridden: boolean;
  brandTier: BrandTier;
  brandFactor: number;
  /** Factor of the kind from calibration; 1 without. */
  kindFactor: number;
  /** Factor z of the appliance on the hazard, from calibration; 1 without. */
  frailty: number;
  /** The frailty as a factor on the life: z^(−1/β). */
  frailtyFactor: number;
  /** The median times all factors. */
  calibratedMedianYears: number;
  shape: number;
  scaleYears: number;
};

/** Returns the calculation of a component's life. */
export function explainLife(
  def: ComponentDef,
  { overrideLifespan }: ComponentHistory,
  { id, brandTier }: ApplianceHistory,
  { scaleYears }: AgedLife,
  corrections: ModelCorrections,
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

/** The calculation of the rate of aging: the factor of use divided by the life factor of the climate. */
export type RateParts = {
  wear: ComponentDef["wear"];
  usageIntensity: number;
  usageExponent: number;
  useFactor: number;
  surroundings: { factor: EnvironmentFactor; sensitivity: number; value: number; lifeFactor: number }[];
  /** Product of the climate's life factors, before the limit. */
  product: number;
  lowest: number;
  lifeFactor: number;
  /** Years of normal use per calendar year: r. */
  rate: number;
};

/** Returns the calculation of a component's rate of aging. */
export function explainAgingRate(
  def: ComponentDef,
  usageIntensity: number,
  environment: PlaceEnvironment,
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
    useFactor: usageFactor(def, usageIntensity, model),
    surroundings,
    product,
    lowest: lowestLifeFactor,
    lifeFactor: Math.max(product, lowestLifeFactor),
    rate,
  };
}

import {
  type ApplianceType,
  type ComponentDef,
  ENVIRONMENT_FACTORS,
  type EnvironmentFactor,
  PERILS,
  type Peril,
  type Provenance,
} from "../domain/domain-knowledge.ts";
import type { AgeParts } from "../domain/explanation/explanation-of-age.ts";
import type { LifeParts, RateParts } from "../domain/explanation/explanation-of-life.ts";
import type { BrandTier } from "../domain/scoring/scoring-types.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  integerSchema,
  listSchema,
  numberSchema,
  objectSchema,
  textListSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

/* The definition, expected life and age of a component in an explanation. Values are not rounded. */

export const LIFE_SOURCE_KINDS = [
  "published",
  "derived",
  "estimate",
] as const satisfies readonly Provenance["kind"][];
export const sourceToken = textSchema("Source of the value: a token in `sources`", "lutz_2011");
export const sourceKind = enumSchema(
  LIFE_SOURCE_KINDS,
  "Whether the value was published, derived or estimated",
);
const sourced = { source: sourceToken, kind: sourceKind };

export const definition = objectSchema({
  system: textSchema("Building system", "plumbing"),
  appliance: textSchema("Appliance type", "Gas storage water heater"),
  reference_size: textSchema("Size that the costs apply to", "40-50 gal"),
  wear: enumSchema<ComponentDef["wear"]>(
    ["use", "calendar"],
    "Whether the component ages with use or only with time",
  ),
  replaced: enumSchema<ComponentDef["replaced"]>(
    ["alone", "with_appliance"],
    "Whether the component is replaced alone or only with its appliance",
  ),
  restored_by: textListSchema("Maintenance that reduces the effective age", ["preventive", "cleaning"]),
  median_life_years: objectSchema({ value: numberSchema("Age at which half have failed", 12), ...sourced }),
  weibull_shape: objectSchema({
    value: numberSchema("Weibull shape β: how fast the hazard rises with age", 3.2),
    ...sourced,
  }),
  maintenance_interval_months: objectSchema({
    value: wholeNumberSchema("Months between maintenance", 12),
    ...sourced,
  }).orNull(),
  environment: objectSchema({
    value: textListSchema("Environmental factors that shorten its life", ["hard_water"]),
    ...sourced,
  }),
  proactive_cost: objectSchema({ value: usdSchema("Cost of a planned replacement", 1450), ...sourced }),
  emergency_cost: objectSchema({
    value: usdSchema("Cost of replacement after a failure, without damage to the property", 2320),
    ...sourced,
  }),
  damage: objectSchema({
    peril: enumSchema<Peril>(PERILS, "What the damage counts as", "water"),
    probability: numberSchema("Probability that a failure does damage", 0.024),
    cost: usdSchema("Mean cost of a damage", 8000),
    ...sourced,
  }).orNull(),
  reactive_cost: objectSchema({
    value: usdSchema(
      "Expected cost after a failure: emergency cost + probability of damage × its cost",
      2512,
    ),
    ...sourced,
  }),
}).describedAs("The component type, with the source of each value");

const sourcedValue = <T>(value: T, { source, kind }: Provenance) => ({ value, source, kind });

export const serializeComponentDefinition = (def: ComponentDef, type: ApplianceType) => ({
  system: def.system as string,
  appliance: type.name,
  reference_size: type.referenceSize,
  wear: def.wear,
  replaced: def.replaced,
  restored_by: def.restoredBy,
  median_life_years: sourcedValue(def.medianLifeYears, def.provenance.medianLife),
  weibull_shape: sourcedValue(def.weibullShape, def.provenance.weibullShape),
  maintenance_interval_months:
    def.maintenanceIntervalMonths === null
      ? null
      : sourcedValue(def.maintenanceIntervalMonths, def.provenance.maintenanceInterval!),
  environment: sourcedValue(def.environment as readonly string[], def.provenance.environment),
  proactive_cost: sourcedValue(jsonUsdFromCents(def.proactiveCents), def.provenance.proactiveCost),
  emergency_cost: sourcedValue(jsonUsdFromCents(def.emergencyCents), def.provenance.emergencyCost),
  damage: def.damage && {
    peril: def.damage.peril,
    probability: def.damage.probability,
    cost: jsonUsdFromCents(def.damage.cents),
    source: def.provenance.damage!.source,
    kind: def.provenance.damage!.kind,
  },
  reactive_cost: sourcedValue(jsonUsdFromCents(def.reactiveCents), def.provenance.emergencyCost),
});

export const life = objectSchema({
  median_life_years: numberSchema("Median life, from the knowledge base or set for this component", 12),
  overridden: flagSchema("Whether the median is set for this component (`override_lifespan`)", false),
  brand_tier: enumSchema<BrandTier>(["premium", "standard", "budget"], "Brand tier", "standard"),
  brand_factor: numberSchema("Factor of the brand tier on the life", 1),
  kind_factor: numberSchema(
    "Factor from calibration on the life of the component type; 1 without calibration",
    1,
  ),
  frailty: numberSchema("Factor from calibration on the hazard of the appliance; 1 without calibration", 1),
  frailty_factor: numberSchema("Factor of the frailty on the life: frailty ^ (−1/shape)", 1),
  calibrated_median_years: numberSchema("Product of the median and its factors, in years of normal use", 12),
  weibull_shape: numberSchema("Weibull shape β", 3.2),
  weibull_scale_years: numberSchema("Weibull scale η: calibrated_median_years / ln 2 ^ (1/shape)", 13.46),
});

export const serializeLife = life.serializer((life: LifeParts) => ({
  median_life_years: life.medianYears,
  overridden: life.isOverridden,
  brand_tier: life.brandTier,
  brand_factor: life.brandFactor,
  kind_factor: life.kindFactor,
  frailty: life.frailty,
  frailty_factor: life.frailtyFactor,
  calibrated_median_years: life.calibratedMedianYears,
  weibull_shape: life.shape,
  weibull_scale_years: life.scaleYears,
}));

export const rate = objectSchema({
  usage_intensity: numberSchema("Use of the appliance; 1 is normal", 1),
  usage_exponent: numberSchema("Exponent of the use, for a component that wears with use", 0.6),
  usage_factor: numberSchema(
    "usage_intensity ^ usage_exponent, or 1 for a component that ages only with time",
    1,
  ),
  environment: listSchema(
    "Environmental factors that shorten its life",
    objectSchema({
      factor: enumSchema<EnvironmentFactor>(ENVIRONMENT_FACTORS, "The factor", "hard_water"),
      sensitivity: numberSchema("Share of the life lost at full exposure", 0.2),
      value: numberSchema("Exposure in the property's place, 0 to 1", 0.35),
      life_factor: numberSchema("1 − sensitivity · value", 0.93),
    }),
  ),
  environment_product: numberSchema("Product of the life factors, before the lower limit", 0.93),
  lowest_life_factor: numberSchema("Lower limit of the product", 0.65),
  life_factor: numberSchema("The product, at least the lower limit", 0.93),
  source: sourceToken.describedAs("Source of the states' values", "judgement"),
  environment_basis: enumSchema(
    ["state", "mean"],
    "`state`: the values of the property's state; `mean`: a mean climate, since none is known outside the US states",
    "state",
  ),
  years_per_year: numberSchema(
    "Aging rate: usage_factor / life_factor, in years of normal use per calendar year",
    1.0753,
  ),
});

export const serializeRate = rate.serializer(
  (rate: RateParts, { source }: Provenance, isClimateKnown: boolean) => ({
    usage_intensity: rate.usageIntensity,
    usage_exponent: rate.usageExponent,
    usage_factor: rate.useFactor,
    environment: rate.surroundings.map(({ factor, sensitivity, value, lifeFactor }) => ({
      factor,
      sensitivity,
      value,
      life_factor: lifeFactor,
    })),
    environment_product: rate.product,
    lowest_life_factor: rate.lowest,
    life_factor: rate.lifeFactor,
    source,
    environment_basis: isClimateKnown ? "state" : "mean",
    years_per_year: rate.rate,
  }),
);

export const age = objectSchema({
  reason: enumSchema<AgeParts["reason"]>(
    ["replacement", "installation", "unknown_past"],
    "Basis of the age: a recorded Replacement, the install year, or an unknown history before the records",
    "installation",
  ),
  born_on: daySchema("Date of the last Replacement, or July 1 of the install year"),
  age_years: numberSchema("Calendar age", 7.39),
  counted_from: daySchema("Day from which the virtual age is counted: born_on or the start of the records"),
  counted_days: integerSchema("Days since then", 2700),
  restorations: listSchema(
    "Maintenance that reduced the age",
    objectSchema({
      event_type: textSchema("Event type", "Preventive Maintenance"),
      date: daySchema("Date of the event"),
      share: numberSchema("Share of the accrued age that was credited", 0.2),
      accrued_days: numberSchema("Days over which the age accrued", 365),
      removed_years: numberSchema("Credited years of normal use", 0.21),
    }),
  ),
  virtual_age_years: numberSchema(
    "Age in years of normal use since counted_from, less maintenance credits",
    7.5,
  ),
  unknown_past: objectSchema({
    records_since: daySchema("Day from which the property's records are complete"),
    nominal_age_years: numberSchema(
      "Age in years of normal use that the original component would have had by then",
      9.4,
    ),
    probability_original_then: numberSchema("Probability that it was the original component then", 0.73),
    probability_original_now: numberSchema("Probability that it is the original component now", 0.61),
  })
    .describedAs("Assumptions about the time before the records; null if there are none")
    .orNull(),
  prior_unlimited: numberSchema("Probability of failure by now from age only, before the limit", 0.31),
  highest_prior: numberSchema("Upper limit of the prior", 0.999),
  prior: numberSchema("Probability of failure by now from age only, within the limit", 0.31),
  effective_virtual_age_years: numberSchema(
    "Effective age V*, in years of normal use: the age with this prior",
    9.8,
  ),
  effective_age_years: numberSchema(
    "Effective age in calendar years: effective_virtual_age_years / years_per_year",
    9.1,
  ),
});

export const serializeAge = age.serializer((age: AgeParts, { rate }: Pick<RateParts, "rate">) => ({
  reason: age.reason,
  born_on: age.bornOn,
  age_years: age.ageYears,
  counted_from: age.countedFrom,
  counted_days: age.countedDays,
  restorations: age.restorations.map((restoration) => ({
    event_type: restoration.eventType as string,
    date: restoration.on,
    share: restoration.share,
    accrued_days: restoration.accruedDays,
    removed_years: restoration.removedYears,
  })),
  virtual_age_years: age.virtualAgeYears,
  unknown_past: age.unknownPast && {
    records_since: age.unknownPast.recordsSince,
    nominal_age_years: age.unknownPast.nominalYears,
    probability_original_then: age.unknownPast.originalThen,
    probability_original_now: age.unknownPast.originalNow,
  },
  prior_unlimited: age.priorUnlimited,
  highest_prior: age.highestPrior,
  prior: age.prior,
  effective_virtual_age_years: age.effectiveAgeYears,
  effective_age_years: age.effectiveAgeYears / rate,
}));

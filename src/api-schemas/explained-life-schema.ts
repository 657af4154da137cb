import type { AgeParts } from "../domain/explanation/explained-age.ts";
import type { LifeParts, RateParts } from "../domain/explanation/explained-life.ts";
import {
  type ApplianceType,
  type ComponentDef,
  ENVIRONMENT_FACTORS,
  type EnvironmentFactor,
  PERILS,
  type Peril,
  type Provenance,
} from "../domain/knowledge.ts";
import type { BrandTier } from "../domain/scoring/scoring-types.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  day,
  enumOf,
  flag,
  integer,
  list,
  number,
  object,
  text,
  textList,
  usd,
  whole,
} from "./definition/schema-field-types.ts";

/* The definition, expected life and age of a component in an explanation. Values are not rounded. */

export const LIFE_SOURCE_KINDS = [
  "published",
  "derived",
  "estimate",
] as const satisfies readonly Provenance["kind"][];
export const sourceToken = text("Source of the value: a token in `sources`", "lutz_2011");
export const sourceKind = enumOf(LIFE_SOURCE_KINDS, "Whether the value was published, derived or estimated");
const sourced = { source: sourceToken, kind: sourceKind };

export const definition = object({
  system: text("Building system", "plumbing"),
  appliance: text("Appliance type", "Gas storage water heater"),
  reference_size: text("Size that the costs apply to", "40-50 gal"),
  wear: enumOf<ComponentDef["wear"]>(
    ["use", "calendar"],
    "Whether the component ages with use or only with time",
  ),
  replaced: enumOf<ComponentDef["replaced"]>(
    ["alone", "with_appliance"],
    "Whether the component is replaced alone or only with its appliance",
  ),
  restored_by: textList("Maintenance that reduces the effective age", ["preventive", "cleaning"]),
  median_life_years: object({ value: number("Age at which half have failed", 12), ...sourced }),
  weibull_shape: object({
    value: number("Weibull shape β: how fast the hazard rises with age", 3.2),
    ...sourced,
  }),
  maintenance_interval_months: object({
    value: whole("Months between maintenance", 12),
    ...sourced,
  }).orNull(),
  environment: object({
    value: textList("Environmental factors that shorten its life", ["hard_water"]),
    ...sourced,
  }),
  proactive_cost: object({ value: usd("Cost of a planned replacement", 1450), ...sourced }),
  emergency_cost: object({
    value: usd("Cost of replacement after a failure, without damage to the property", 2320),
    ...sourced,
  }),
  damage: object({
    peril: enumOf<Peril>(PERILS, "What the damage counts as", "water"),
    probability: number("Probability that a failure does damage", 0.024),
    cost: usd("Mean cost of a damage", 8000),
    ...sourced,
  }).orNull(),
  reactive_cost: object({
    value: usd("Expected cost after a failure: emergency cost + probability of damage × its cost", 2512),
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

export const life = object({
  median_life_years: number("Median life, from the knowledge base or set for this component", 12),
  overridden: flag("Whether the median is set for this component (`override_lifespan`)", false),
  brand_tier: enumOf<BrandTier>(["premium", "standard", "budget"], "Brand tier", "standard"),
  brand_factor: number("Factor of the brand tier on the life", 1),
  kind_factor: number("Factor from calibration on the life of the component type; 1 without calibration", 1),
  frailty: number("Factor from calibration on the hazard of the appliance; 1 without calibration", 1),
  frailty_factor: number("Factor of the frailty on the life: frailty ^ (−1/shape)", 1),
  calibrated_median_years: number("Product of the median and its factors, in years of normal use", 12),
  weibull_shape: number("Weibull shape β", 3.2),
  weibull_scale_years: number("Weibull scale η: calibrated_median_years / ln 2 ^ (1/shape)", 13.46),
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

export const rate = object({
  usage_intensity: number("Use of the appliance; 1 is normal", 1),
  usage_exponent: number("Exponent of the use, for a component that wears with use", 0.6),
  usage_factor: number("usage_intensity ^ usage_exponent, or 1 for a component that ages only with time", 1),
  environment: list(
    "Environmental factors that shorten its life",
    object({
      factor: enumOf<EnvironmentFactor>(ENVIRONMENT_FACTORS, "The factor", "hard_water"),
      sensitivity: number("Share of the life lost at full exposure", 0.2),
      value: number("Exposure in the property's place, 0 to 1", 0.35),
      life_factor: number("1 − sensitivity · value", 0.93),
    }),
  ),
  environment_product: number("Product of the life factors, before the lower limit", 0.93),
  lowest_life_factor: number("Lower limit of the product", 0.65),
  life_factor: number("The product, at least the lower limit", 0.93),
  source: sourceToken.describedAs("Source of the states' values", "judgement"),
  environment_basis: enumOf(
    ["state", "mean"],
    "`state`: the values of the property's state; `mean`: a mean climate, since none is known outside the US states",
    "state",
  ),
  years_per_year: number(
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

export const age = object({
  reason: enumOf<AgeParts["reason"]>(
    ["replacement", "installation", "unknown_past"],
    "Basis of the age: a recorded Replacement, the install year, or an unknown history before the records",
    "installation",
  ),
  born_on: day("Date of the last Replacement, or July 1 of the install year"),
  age_years: number("Calendar age", 7.39),
  counted_from: day("Day from which the virtual age is counted: born_on or the start of the records"),
  counted_days: integer("Days since then", 2700),
  restorations: list(
    "Maintenance that reduced the age",
    object({
      event_type: text("Event type", "Preventive Maintenance"),
      date: day("Date of the event"),
      share: number("Share of the accrued age that was credited", 0.2),
      accrued_days: number("Days over which the age accrued", 365),
      removed_years: number("Credited years of normal use", 0.21),
    }),
  ),
  virtual_age_years: number("Age in years of normal use since counted_from, less maintenance credits", 7.5),
  unknown_past: object({
    records_since: day("Day from which the property's records are complete"),
    nominal_age_years: number(
      "Age in years of normal use that the original component would have had by then",
      9.4,
    ),
    probability_original_then: number("Probability that it was the original component then", 0.73),
    probability_original_now: number("Probability that it is the original component now", 0.61),
  })
    .describedAs("Assumptions about the time before the records; null if there are none")
    .orNull(),
  prior_unlimited: number("Probability of failure by now from age only, before the limit", 0.31),
  highest_prior: number("Upper limit of the prior", 0.999),
  prior: number("Probability of failure by now from age only, within the limit", 0.31),
  effective_virtual_age_years: number(
    "Effective age V*, in years of normal use: the age with this prior",
    9.8,
  ),
  effective_age_years: number(
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

import type { AgeParts } from "../domain/explanation/age.ts";
import type { LifeParts, RateParts } from "../domain/explanation/life.ts";
import {
  type ApplianceType,
  type ComponentDef,
  ENVIRONMENT_FACTORS,
  type EnvironmentFactor,
  type Provenance,
} from "../domain/knowledge.ts";
import type { BrandTier } from "../domain/scoring/types.ts";
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
} from "./schema/fields.ts";
import { usdFromCents } from "./schema/units.ts";

/* A component's definition, life and age as an explanation shows them. Nothing is rounded. */

export const KINDS = ["published", "derived", "estimate"] as const satisfies readonly Provenance["kind"][];
export const sourceToken = text("Where the number is from: a token among sources", "lutz_2011");
export const sourceKind = enumOf(KINDS, "Whether it was published there, derived from it, or estimated");
const sourced = { source: sourceToken, kind: sourceKind };

const definition = object({
  system: text("System of the building", "plumbing"),
  appliance: text("Kind of appliance", "Gas storage water heater"),
  reference_size: text("What the costs are for", "40-50 gal"),
  wear: enumOf<ComponentDef["wear"]>(["use", "calendar"], "Whether it ages with use, or with time alone"),
  replaced: enumOf<ComponentDef["replaced"]>(
    ["alone", "with_appliance"],
    "Whether it is ever replaced alone, or is as old as its appliance",
  ),
  restored_by: textList("Maintenance that takes away a share of its age", ["preventive", "cleaning"]),
  median_life_years: object({ value: number("Age by which half have failed", 12), ...sourced }),
  weibull_shape: object({
    value: number("Weibull shape β: how fast the hazard rises with age", 3.2),
    ...sourced,
  }),
  maintenance_interval_months: object({
    value: whole("Months between maintenance", 12),
    ...sourced,
  }).orNull(),
  environment: object({
    value: textList("What of its surroundings it suffers from", ["hard_water"]),
    ...sourced,
  }),
  proactive_cost: object({ value: usd("Cost of a planned replacement", 1450), ...sourced }),
  reactive_cost: object({ value: usd("Cost after a failure, damage included", 5600), ...sourced }),
}).describedAs("The kind of component, with the sources of its numbers");

export const definitionForm = definition;

const sourcedValue = <T>(value: T, { source, kind }: Provenance) => ({ value, source, kind });

export const definitionView = (def: ComponentDef, type: ApplianceType) => ({
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
  proactive_cost: sourcedValue(usdFromCents(def.proactiveCents), def.provenance.proactiveCost),
  reactive_cost: sourcedValue(usdFromCents(def.reactiveCents), def.provenance.reactiveCost),
});

export const lifeForm = object({
  median_life_years: number("Median life: the knowledge base's, or the component's own", 12),
  overridden: flag("Whether the median is the component's own, override_lifespan", false),
  brand_tier: enumOf<BrandTier>(["premium", "standard", "budget"], "Tier of the make", "standard"),
  brand_factor: number("What the tier multiplies the life by", 1),
  kind_factor: number("What calibration multiplies the life of its kind by; 1 without", 1),
  frailty: number("What calibration multiplies the hazard of its appliance by; 1 without", 1),
  frailty_factor: number("What the frailty multiplies the life by: frailty ^ (−1/shape)", 1),
  calibrated_median_years: number("Product of the median and its factors, in years of normal use", 12),
  weibull_shape: number("Weibull shape β", 3.2),
  weibull_scale_years: number("Weibull scale η: calibrated_median_years / ln 2 ^ (1/shape)", 13.46),
});

export const lifeView = lifeForm.serializer((life: LifeParts) => ({
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

export const rateForm = object({
  usage_intensity: number("The appliance's use, 1 being normal", 1),
  usage_exponent: number("Power on the use, for a component that wears with use", 0.6),
  usage_factor: number("usage_intensity ^ usage_exponent, or 1 for one that ages with time alone", 1),
  environment: list(
    "Each of its surroundings that it suffers from",
    object({
      factor: enumOf<EnvironmentFactor>(ENVIRONMENT_FACTORS, "Which", "hard_water"),
      sensitivity: number("Share of a life that it takes where it is present in full", 0.2),
      value: number("How far it is present in the property's state, 0 to 1", 0.35),
      life_factor: number("1 − sensitivity · value", 0.93),
    }),
  ),
  environment_product: number("Product of the life factors, before its floor", 0.93),
  lowest_life_factor: number("The floor", 0.65),
  life_factor: number("The product, not below the floor", 0.93),
  source: sourceToken.describedAs("Where the values of the states are from", "judgement"),
  years_per_year: number("Rate of ageing: usage_factor / life_factor, years of normal use a year", 1.0753),
});

export const rateView = rateForm.serializer((rate: RateParts, { source }: Provenance) => ({
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
  years_per_year: rate.rate,
}));

export const ageForm = object({
  reason: enumOf<AgeParts["reason"]>(
    ["replacement", "installation", "unknown_past"],
    "What it rests on: a Replacement on record, the install year, or a past that no record covers",
    "installation",
  ),
  born_on: day("The last Replacement, else 1 July of the install year"),
  age_years: number("Calendar age", 7.39),
  counted_from: day("Day from which the virtual age is counted: born_on, or the beginning of the record"),
  counted_days: integer("Days since then", 2700),
  restorations: list(
    "Maintenance that took back age",
    object({
      event_type: text("Type of the event", "Preventive Maintenance"),
      date: day("Its day"),
      share: number("Share that it took back", 0.2),
      accrued_days: number("Of so many days", 365),
      removed_years: number("Years of normal use that it took back", 0.21),
    }),
  ),
  virtual_age_years: number(
    "Age in years of normal use since counted_from, less what maintenance took back",
    7.5,
  ),
  unknown_past: object({
    records_since: day("Day from which the property's record counts as complete"),
    nominal_age_years: number("Years of normal use that an original would have had by then", 9.4),
    probability_original_then: number("Probability that it was the original then", 0.73),
    probability_original_now: number("The same today, after what it has lived through since", 0.61),
  })
    .describedAs("What is assumed of the time before the record; null where nothing need be")
    .orNull(),
  prior_unlimited: number("Probability of having failed by now from age alone", 0.31),
  highest_prior: number("What age alone may say at most", 0.999),
  prior: number("The same within its limit", 0.31),
  effective_age_years: number("Effective age: the one that has this prior", 9.8),
});

export const ageView = ageForm.serializer((age: AgeParts) => ({
  reason: age.reason,
  born_on: age.bornOn,
  age_years: age.ageYears,
  counted_from: age.countedFrom,
  counted_days: age.countedDays,
  restorations: age.restorations.map((one) => ({
    event_type: one.eventType as string,
    date: one.on,
    share: one.share,
    accrued_days: one.accruedDays,
    removed_years: one.removedYears,
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
  effective_age_years: age.effectiveAgeYears,
}));

import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import {
  type ApplianceType,
  type ComponentDef,
  isLifeSafetyOrConveyance,
  type KnowledgeData,
  type PlaceEnvironment,
  type Provenance,
  type ScoringModel,
} from "../domain/domain-knowledge.ts";
import { hazardWords, inspectionWords, keywordRules } from "./assemble-note-rules.ts";
import type { CheckedFiles } from "./knowledge-file-schemas.ts";

/** Converts the files to the domain's types. Only this module knows the names of both. */
export function assembleKnowledge(files: CheckedFiles): KnowledgeData {
  const types = files.appliances.map(applianceType);
  const typeOf = new Map(types.flatMap((type) => type.components.map((def) => [def.id, type.id])));
  return {
    model: scoringModel(files.model),
    types,
    brandFamilies: files.brands.families.map(({ type_ids, ...tiers }) => ({ typeIds: type_ids, tiers })),
    unstatedBrands: files.brands.unstated,
    hazards: files.brands.hazards.map(({ names, type_ids, component_ids }) => ({
      names,
      typeIds: type_ids,
      componentIds: new Set(component_ids),
    })),
    knownHazards: files.hazards.hazards.map((hazard) => ({
      code: hazard.code,
      label: hazard.label,
      typeIds: hazard.type_ids,
      componentIds: new Set(hazard.component_ids),
      outlivesAppliance: hazard.outlives_appliance,
      names: hazard.names,
      suspectBrands: hazard.era?.suspect_brands ?? [],
      era: hazard.era && {
        of: hazard.era.of,
        firstYear: hazard.era.from_year ?? Number.NEGATIVE_INFINITY,
        lastYear: hazard.era.to_year ?? Number.POSITIVE_INFINITY,
        original: hazard.era.original,
        withoutBrand: hazard.era.without_brand,
      },
      excludedBy: hazard.excluded_by,
      authority: hazard.authority,
      action: hazard.action,
      actionSuspected: hazard.action_suspected,
    })),
    keywords: keywordRules(files, typeOf),
    inspectionWords: inspectionWords(files, typeOf),
    hazardWords: hazardWords(files),
    cascades: files.cascades.rules.map(({ upstream, downstream, ratio, reason }) => ({
      upstream,
      downstream,
      ratio,
      upstreamTypeId: typeOf.get(upstream)!,
      acrossTypes: typeOf.get(upstream) !== typeOf.get(downstream),
      reason,
    })),
    claimTypes: files.claimTypes.claim_types.map(({ component_ids, ...claim }) => ({
      ...claim,
      componentIds: new Set(component_ids),
    })),
    eras: files.eras.eras.map(({ id, label, component_ids, from_year, to_year, ratio, without_brand }) => ({
      id,
      label,
      componentIds: new Set(component_ids),
      firstYear: from_year ?? Number.NEGATIVE_INFINITY,
      lastYear: to_year ?? Number.POSITIVE_INFINITY,
      ratio,
      withoutBrand: without_brand,
    })),
    costs: {
      ofMonth: files.locationFactors.costs_of_month,
      edition: files.locationFactors.edition,
      locationFactors: new Map(files.locationFactors.states.map(({ state, factor }) => [state, factor])),
    },
    lossClasses: new Map(
      files.lossClasses.classes.map(({ system, year_factor_variance, damage_variation }) => [
        system,
        { yearFactorVariance: year_factor_variance, damageVariation: damage_variation },
      ]),
    ),
    lossModelError: files.lossClasses.model_error,
    divisions: new Map(
      files.censusDivisions.divisions.flatMap(({ division, states }) =>
        states.map((state) => [state, division] as const),
      ),
    ),
    regimes: files.regimes.regimes.flatMap((regime) =>
      regime.interval_months === null
        ? []
        : {
            typeId: regime.type_id,
            inspectionType: regime.inspection_type,
            authority: regime.authority,
            mandatory: regime.mandatory,
            intervalMonths: regime.interval_months,
            resetBy: regime.reset_by,
            componentIds: new Set(regime.component_ids),
            note: regime.note,
          },
    ),
    smartEvents: files.smartEvents.event_types.map((event) => ({
      eventType: event.event_type,
      ratios: "ratios" in event ? event.ratios : null,
      componentIds: new Set("ratios" in event ? event.component_ids : []),
    })),
    environments: new Map(
      files.states.states.map(({ state, values }) => [state, environment(files.states.factors, values)]),
    ),
    sources: files.sources.sources.map(({ second_hand, ...source }) => ({
      ...source,
      secondHand: second_hand,
    })),
    provenance: {
      model: provenance(files.model),
      brands: provenance(files.brands),
      keywords: provenance(files.keywords),
      cascades: provenance(files.cascades),
      claimTypes: provenance(files.claimTypes),
      eras: provenance(files.eras),
      smartEvents: provenance(files.smartEvents),
      environments: provenance(files.states),
      locationFactors: provenance(files.locationFactors),
    },
  };
}

const provenance = ({ source, kind }: Provenance): Provenance => ({ source, kind });

function applianceType(file: CheckedFiles["appliances"][number]): ApplianceType {
  const replacementCents = centsFromUsd(file.replacement_cost_usd.value);
  const components = file.components.map((part) => ({
    id: part.id,
    typeId: file.type_id,
    name: part.name,
    system: file.system,
    vital: isLifeSafetyOrConveyance(file.system),
    medianLifeYears: part.median_life_years.value,
    weibullShape: part.weibull_shape.value,
    proactiveCents: centsFromUsd(part.proactive_cost_usd.value),
    ...failureCosts(part),
    maintenanceIntervalMonths: part.maintenance_interval_months?.value ?? null,
    environment: part.environment.value,
    wear: part.wear,
    restoredBy: part.restored_by,
    replaced: part.replaced,
    fixedLifeYears: part.fixed_life_years?.value ?? null,
    safety: part.safety,
    provenance: {
      medianLife: provenance(part.median_life_years),
      weibullShape: provenance(part.weibull_shape),
      proactiveCost: provenance(part.proactive_cost_usd),
      emergencyCost: provenance(part.emergency_cost_usd),
      damage: part.damage && provenance(part.damage),
      maintenanceInterval: part.maintenance_interval_months && provenance(part.maintenance_interval_months),
      environment: provenance(part.environment),
      fixedLife: part.fixed_life_years && provenance(part.fixed_life_years),
    },
  }));
  const sumCents = components.reduce((sum, part) => sum + part.proactiveCents, 0);
  return {
    id: file.type_id,
    name: file.name,
    system: file.system,
    referenceSize: file.reference_size,
    size: file.size && {
      unit: file.size.unit,
      reference: file.size.reference,
      exponent: file.size.exponent,
      defaultsTo: file.size.defaults_to,
    },
    replacementCents,
    rcvCents: Math.min(sumCents, replacementCents),
    whole: file.replaced_as_whole ? wholeUnit(replacementCents, components, file.unit_life_years) : null,
    components,
  };
}

/** The failure of the principal part costs its own share more than planned work does, at most this much. */
const MOST_FAILED_SHARE = 1.3;

function wholeUnit(
  replacementCents: number,
  components: readonly ComponentDef[],
  life: { value: number } | null,
): ApplianceType["whole"] {
  const part = components.find(({ replaced }) => replaced === "with_appliance");
  if (!part) return { principal: null, lifeYears: life!.value };
  const share = Math.min(MOST_FAILED_SHARE, part.emergencyCents / part.proactiveCents);
  return { principal: { defId: part.id, emergencyCents: replacementCents * share }, lifeYears: null };
}

/** Returns the costs of a failure; the expected one in whole cents. */
function failureCosts({
  emergency_cost_usd,
  damage,
}: CheckedFiles["appliances"][number]["components"][number]): Pick<
  ComponentDef,
  "emergencyCents" | "damage" | "reactiveCents"
> {
  const emergencyCents = centsFromUsd(emergency_cost_usd.value);
  if (!damage) return { emergencyCents, damage: null, reactiveCents: emergencyCents };
  const { peril, probability, cost_usd } = damage;
  const cents = centsFromUsd(cost_usd);
  const reactiveCents = emergencyCents + Math.round(probability * cents);
  return { emergencyCents, damage: { peril, probability, cents }, reactiveCents };
}

function environment(factors: readonly string[], values: readonly number[]): PlaceEnvironment {
  return Object.fromEntries(factors.map((factor, i) => [factor, values[i]])) as PlaceEnvironment;
}

function scoringModel(file: CheckedFiles["model"]): ScoringModel {
  const { score, evidence, environment, restoration, cascade, confidence } = file;
  const fading = (entry: { ratio: number; span_months: number }) => ({
    ratio: entry.ratio,
    spanMonths: entry.span_months,
  });
  const { good, fair, poor } = evidence.condition;
  return {
    version: file.model_version,
    score: {
      periodDays: score.period_days,
      shareOfLife: score.share_of_life,
      periods: score.periods,
      highest: score.highest,
    },
    highestPrior: file.highest_prior,
    record: { longestGapDays: file.record.longest_gap_days },
    brandFactor: file.brand_factor,
    usageExponent: file.usage_exponent,
    environment: {
      sensitivity: environment.sensitivity,
      lowestLifeFactor: environment.lowest_life_factor,
      unknownValue: environment.unknown_value,
    },
    restoration: {
      shares: restoration.shares,
      intervalsCounted: restoration.intervals_counted,
      defaultIntervalMonths: restoration.default_interval_months,
    },
    evidence: {
      emergencyRepair: fading(evidence.emergency_repair),
      repair: { ...fading(evidence.repair), counted: evidence.repair.counted },
      condition: { good, fair, poor, spanMonths: evidence.condition.span_months },
      inspection: fading(evidence.inspection),
      keywords: { spanMonths: evidence.keywords.span_months },
      hazardBrand: evidence.hazard_brand,
      smartEvent: { spanDays: evidence.smart_event.span_days, hazard: evidence.smart_event.hazard },
      claims: { spanYears: evidence.claims.span_years, counted: evidence.claims.counted },
      unnamedComponentExponent: evidence.unnamed_component_exponent,
      resolvedFindingExponent: evidence.resolved_finding_exponent,
      lowestProduct: evidence.lowest_product,
      highestProduct: evidence.highest_product,
    },
    cascade: {
      fromScore: cascade.from_score,
      fullAfter: cascade.full_after,
      highestProduct: cascade.highest_product,
    },
    lifeError: file.life_error,
    confidence: {
      eventsForHigh: confidence.events_for_high,
      conditionWithinMonths: confidence.condition_within_months,
      rangeShare: confidence.range_share,
      confidencePct: confidence.confidence_pct,
    },
  };
}

import {
  type ApplianceType,
  type Environment,
  isLifeSafetyOrConveyance,
  type KeywordRules,
  type KnowledgeData,
  type Provenance,
  type ScoringModel,
} from "../domain/knowledge.ts";
import { centsFromUsd } from "../domain/money.ts";
import { READER_VERSION } from "../domain/scoring/keywords.ts";
import type {
  applianceFile,
  brandsFile,
  cascadesFile,
  claimTypesFile,
  keywordsFile,
  modelFile,
  regimesFile,
  smartEventsFile,
  sourcesFile,
  statesFile,
} from "./schemas.ts";

/** The files after validation. */
export type CheckedFiles = {
  appliances: (typeof applianceFile.infer)[];
  brands: typeof brandsFile.infer;
  cascades: typeof cascadesFile.infer;
  claimTypes: typeof claimTypesFile.infer;
  regimes: typeof regimesFile.infer;
  keywords: typeof keywordsFile.infer;
  model: typeof modelFile.infer;
  smartEvents: typeof smartEventsFile.infer;
  sources: typeof sourcesFile.infer;
  states: typeof statesFile.infer;
};

/** Converts the files to the domain's types. Only this module knows the names of both. */
export function assemble(files: CheckedFiles): KnowledgeData {
  const types = files.appliances.map(applianceType);
  const typeOf = new Map(types.flatMap((type) => type.components.map((def) => [def.id, type.id])));
  return {
    model: scoringModel(files.model),
    types,
    brandFamilies: files.brands.families.map(({ type_ids, ...tiers }) => ({ typeIds: type_ids, tiers })),
    hazards: files.brands.hazards.map(({ names, type_ids, component_ids }) => ({
      names,
      typeIds: type_ids,
      componentIds: new Set(component_ids),
    })),
    keywords: keywordRules(files.keywords, typeOf),
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
      smartEvents: provenance(files.smartEvents),
      environments: provenance(files.states),
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
    reactiveCents: centsFromUsd(part.reactive_cost_usd.value),
    maintenanceIntervalMonths: part.maintenance_interval_months?.value ?? null,
    environment: part.environment.value,
    wear: part.wear,
    restoredBy: part.restored_by,
    replaced: part.replaced,
    provenance: {
      medianLife: provenance(part.median_life_years),
      weibullShape: provenance(part.weibull_shape),
      proactiveCost: provenance(part.proactive_cost_usd),
      reactiveCost: provenance(part.reactive_cost_usd),
      maintenanceInterval: part.maintenance_interval_months && provenance(part.maintenance_interval_months),
      environment: provenance(part.environment),
    },
  }));
  const sumCents = components.reduce((sum, part) => sum + part.proactiveCents, 0);
  return {
    id: file.type_id,
    name: file.name,
    system: file.system,
    referenceSize: file.reference_size,
    replacementCents,
    rcvCents: Math.min(sumCents, replacementCents),
    components,
  };
}

function keywordRules(file: CheckedFiles["keywords"], typeOf: ReadonlyMap<string, string>): KeywordRules {
  return {
    version: `${READER_VERSION}-${Bun.hash(JSON.stringify(file)).toString(36)}`,
    groups: file.groups.map(({ component_ids: ids, cleared_by, ...group }) => ({
      ...group,
      componentIds: ids === "all" ? ids : new Set(ids),
      typeIds: ids === "all" ? ids : new Set(ids.map((id) => typeOf.get(id)!)),
      clearedBy: cleared_by ?? [],
    })),
    reachWords: file.reach_words,
    negations: file.negations,
    notNegations: file.not_negations,
    negationsAfter: file.negations_after,
    negationsRightAfter: file.negations_right_after,
    clauseEnds: file.clause_ends,
    verbsAfterAnd: file.verbs_after_and,
    listWords: file.list_words,
    resolutions: file.resolutions,
    persistence: file.persistence,
    unfulfilled: file.unfulfilled,
    hypotheticals: file.hypotheticals,
    falseFriends: file.false_friends,
  };
}

function environment(factors: readonly string[], values: readonly number[]): Environment {
  return Object.fromEntries(factors.map((factor, i) => [factor, values[i]])) as Environment;
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
    confidence: {
      eventsForHigh: confidence.events_for_high,
      conditionWithinMonths: confidence.condition_within_months,
      rangeShare: confidence.range_share,
      confidencePct: confidence.confidence_pct,
    },
  };
}

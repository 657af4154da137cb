import type { ComponentDef, Knowledge, PlaceEnvironment } from "../domain-knowledge.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { DAYS_PER_YEAR, type Day, dayNumber } from "../time.ts";
import { agedLife, calibratedLifeFactor } from "./aged-life.ts";
import { claimsHazardRatio, strongestClaims, type WeightedClaim } from "./claim-evidence.ts";
import { confidenceOfScore, recentServiceRecord } from "./confidence.ts";
import { type DatedEvent, type DatedEvents, datedEventsUpTo } from "./dated-events.ts";
import type { CascadeSource } from "./failure-cascade.ts";
import { clamp } from "./hazard-ratios.ts";
import { cumulativeRiskOverScorePeriods, type Outlook, riskWithinScoredPeriod } from "./outlook.ts";
import {
  appendScoreEvidence,
  type EvidenceScope,
  type EvidenceSubject,
  type EvidenceTrail,
  serviceEventHazardRatios,
} from "./score-evidence.ts";
import type { ModelCorrections } from "./score-model-corrections.ts";
import type {
  AgedLife,
  ApplianceHistory,
  ComponentHistory,
  Confidence,
  Evidence,
  PropertyHistory,
} from "./scoring-types.ts";
import { activeSensorWarnings, acuteHazardOfWarnings, type SensorWarning } from "./sensor-warnings.ts";

/* Scores without cascades: a component by its own age and evidence. */

/** The inputs that all appliances of a property share. */
type PropertyContext = {
  environment: PlaceEnvironment;
  claims: readonly WeightedClaim[];
  yearBuilt: number | null;
  /** Day numbers. */
  recordsSince: number;
  today: number;
  corrections: ModelCorrections;
  /** Collects the evidence of each score. */
  explain: boolean;
};

/** Returns the shared inputs of a property's scores as of a day. */
export function scoringContextOfProperty(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  corrections: ModelCorrections,
  explain: boolean,
): PropertyContext {
  const today = dayNumber(asOf);
  return {
    environment: knowledge.environment(history.state),
    claims: strongestClaims(knowledge, history.claims, today),
    yearBuilt: history.yearBuilt,
    recordsSince: Math.min(dayNumber(history.recordsSince), today),
    corrections,
    today,
    explain,
  };
}

/** A component's age and evidence, cascades aside. */
export type ComponentWithoutCascades = {
  id: string;
  def: ComponentDef;
  lifeFactor: number;
  life: AgedLife;
  ageYears: number;
  /** Product of the hazard ratios, not yet limited. */
  ratio: number;
  acuteHazard: number;
  /** Probability of failing within the scored period. */
  risk: number;
  /** The score from what concerns this component alone; cascades follow from it. */
  ownRisk: number;
  confidence: Confidence;
  trail: EvidenceTrail;
};

export type ApplianceWithoutCascades = CascadeSource & {
  id: string;
  components: readonly ComponentWithoutCascades[];
};

/** The inputs that all components of an appliance share. */
type ApplianceContext = PropertyContext & {
  appliance: ApplianceHistory;
  events: DatedEvents;
  warnings: readonly SensorWarning[];
  /** Components that the appliance's make harms. */
  hazard: ReadonlySet<string>;
  brandIsKnown: boolean;
  /** False if every piece of evidence concerns one component alone. */
  hasSharedEvidence: boolean;
};

/** An appliance with more events yields after each of its components. */
const LONG_HISTORY_EVENTS = 1000;

/** Returns whether an appliance has so many events that it is scored in steps. */
export const hasLongHistory = ({ events }: Pick<ApplianceHistory, "events">) =>
  events.length > LONG_HISTORY_EVENTS;

/** Scores the components of an appliance without cascades. */
export function scoreWithoutCascades(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  property: PropertyContext,
): ApplianceWithoutCascades {
  const context = applianceContext(knowledge, appliance, property);
  const components = appliance.components.map((component) => scoreComponent(knowledge, component, context));
  return applianceWithoutCascades(knowledge, appliance, components);
}

/**
 * Scores the components of an appliance without cascades, in steps, as `scoreWithoutCascades` does at once: a generator for each
 * appliance would take longer than short histories.
 */
export function* scoreWithoutCascadesInSteps(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  property: PropertyContext,
): Steps<ApplianceWithoutCascades> {
  const context = applianceContext(knowledge, appliance, property);
  const components: ComponentWithoutCascades[] = [];
  for (const component of appliance.components) {
    components.push(scoreComponent(knowledge, component, context));
    yield;
  }
  return applianceWithoutCascades(knowledge, appliance, components);
}

function applianceWithoutCascades(
  knowledge: Knowledge,
  { id, typeId, unitId }: ApplianceHistory,
  components: readonly ComponentWithoutCascades[],
): ApplianceWithoutCascades {
  const upstreamScores = new Map<string, number>();
  for (const { def, ownRisk } of components)
    if (knowledge.isUpstream(def.id))
      upstreamScores.set(def.id, cumulativeRiskOverScorePeriods(ownRisk, knowledge.model));
  return { id, typeId, unitId, upstreamScores, components };
}

const isOnAppliance = ({ componentId }: DatedEvent) => componentId === null;

function applianceContext(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  property: PropertyContext,
): ApplianceContext {
  const { typeId, brand, model } = appliance;
  const hazard = knowledge.hazard(typeId, brand, model);
  const events = datedEventsUpTo(appliance.events, property.today);
  return {
    ...property,
    appliance,
    events,
    warnings: activeSensorWarnings(knowledge, appliance.smartEvents, property.today),
    hazard,
    brandIsKnown: isBrandKnownToScoring(knowledge, appliance, hazard),
    hasSharedEvidence: property.claims.length > 0 || events.events.some(isOnAppliance),
  };
}

/** Returns whether the knowledge base lists the make, in a tier or as a hazard. */
export function isBrandKnownToScoring(
  knowledge: Knowledge,
  { typeId, brand, model }: Pick<ApplianceHistory, "typeId" | "brand" | "model">,
  hazard = knowledge.hazard(typeId, brand, model),
): boolean {
  return hazard.size > 0 || knowledge.brandTier(typeId, brand) !== undefined;
}

function scoreComponent(
  knowledge: Knowledge,
  component: ComponentHistory,
  context: ApplianceContext,
): ComponentWithoutCascades {
  const { model } = knowledge;
  const { id, defId } = component;
  const { appliance, events, warnings, today, environment, recordsSince, corrections, brandIsKnown } =
    context;
  const { brandTier, usageIntensity, installYearBasis } = appliance;
  const def = knowledge.component(defId);
  const lifeFactor = calibratedLifeFactor(def, appliance.id, corrections);
  const setting = { brandTier, usageIntensity, environment, recordsSince, installYearBasis, lifeFactor };
  const life = agedLife(def, component, events, setting, today, model);
  const subject: EvidenceSubject = { id, def, since: life.replacedOn ?? -Infinity, today };
  const trail: EvidenceTrail = context.explain ? [] : undefined;
  const isOriginal = component.installYear === context.yearBuilt && life.replacedOn === undefined;
  const builtIn = isOriginal ? context.yearBuilt : null;
  const ratio = ratioOf(knowledge, subject, context, builtIn, trail);
  const acute = acuteHazardOfWarnings(knowledge, subject, warnings, events.events, trail);
  const riskAt = (hazardRatio: number) =>
    riskWithinScoredPeriod(
      outlookWithHazards(def, life, limitHazardRatio(knowledge, hazardRatio), acute),
      model,
    );
  const risk = riskAt(ratio);
  const isShared = context.hasSharedEvidence && knowledge.isUpstream(def.id);
  const own = isShared ? ratioOf(knowledge, subject, context, builtIn, undefined, "own") : ratio;
  return {
    id,
    def,
    lifeFactor,
    life,
    ageYears: Math.max(0, today - life.bornOn) / DAYS_PER_YEAR,
    ratio,
    acuteHazard: acute,
    risk,
    ownRisk: own === ratio ? risk : riskAt(own),
    confidence: confidenceOfScore(recentServiceRecord(id, events.events, today, model), brandIsKnown, model),
    trail,
  };
}

/**
 * Multiplies all hazard ratios but cascades. `builtIn` is the year of the building for its original parts, else null. The
 * scope `own` leaves out the property's claims, too.
 */
function ratioOf(
  knowledge: Knowledge,
  subject: EvidenceSubject,
  context: ApplianceContext,
  builtIn: number | null,
  trail: EvidenceTrail,
  scope: EvidenceScope = "all",
): number {
  const { events, claims, hazard, appliance, corrections } = context;
  const { strength } = corrections;
  const service = serviceEventHazardRatios(knowledge, subject, events.events, trail, scope);
  if (trail) noteStrength(trail, strength);
  const condition = strengthened(service.condition, strength.condition);
  const repairs = strengthened(service.repairs, strength.repairs);
  const claim = scope === "all" ? claimsHazardRatio(subject, claims, trail) : 1;
  return service.others * repairs * condition * claim * makeRatio();

  /** A make that is known to be bad says more than what was usual in the year. */
  function makeRatio(): number {
    const { brand, model } = appliance;
    const { hazardBrand } = knowledge.model.evidence;
    if (hazard.has(subject.def.id))
      return appendScoreEvidence(trail, "hazard_brand", brand ?? model ?? "", null, hazardBrand.ratio);
    return builtIn === null ? 1 : eraRatio(knowledge, subject, builtIn, brand, trail);
  }
}

/** Returns the hazard ratio of an original part of a building of the year. */
function eraRatio(
  knowledge: Knowledge,
  subject: EvidenceSubject,
  yearBuilt: number,
  brand: string | null,
  trail: EvidenceTrail,
): number {
  let product = 1;
  for (const era of knowledge.erasOf(subject.def.id)) {
    if (yearBuilt < era.firstYear || yearBuilt > era.lastYear) continue;
    if (era.withoutBrand && knowledge.statesBrand(brand)) continue;
    product *= appendScoreEvidence(trail, "era", era.id, null, era.ratio);
  }
  return product;
}

const strengthened = (ratio: number, power: number) => (power === 1 || ratio === 1 ? ratio : ratio ** power);

function noteStrength(trail: Evidence[], { condition, repairs }: ModelCorrections["strength"]): void {
  for (const entry of trail) {
    const strength =
      entry.kind === "condition"
        ? condition
        : entry.kind === "repair" || entry.kind === "emergency_repair"
          ? repairs
          : 1;
    if (strength !== 1) entry.strength = strength;
  }
}

/** Keeps the product of ratios within limits, so that evidence alone never decides. */
export function limitHazardRatio({ model }: Knowledge, ratio: number): number {
  const { lowestProduct, highestProduct } = model.evidence;
  return clamp(ratio, lowestProduct, highestProduct);
}

/** Returns the outlook of a component with a hazard ratio and an acute hazard. */
export function outlookWithHazards(
  def: ComponentDef,
  life: AgedLife,
  hazardRatio: number,
  acuteHazard: number,
): Outlook {
  const { scaleYears, effectiveAgeYears, rate } = life;
  return { scaleYears, weibullShape: def.weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard };
}

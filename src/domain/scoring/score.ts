import type { ComponentDef, Environment, Knowledge } from "../knowledge.ts";
import { runSteps, type Steps } from "../steps.ts";
import { DAYS_PER_YEAR, type Day, dayNumber } from "../time.ts";
import { agedLife, calibratedLife } from "./aged-life.ts";
import { CascadeEffects, type CascadeSource } from "./cascade.ts";
import { claimsRatio, strongestClaims, type WeightedClaim } from "./claims.ts";
import { confidenceOf, recentServiceRecord } from "./confidence.ts";
import { type Corrections, UNCORRECTED } from "./corrections.ts";
import { enter, type Subject, serviceRatios, type Trail } from "./evidence.ts";
import { cumulativeRisk, type Outlook, periodRisk } from "./outlook.ts";
import { clamp } from "./ratios.ts";
import { activeWarnings, acuteHazard, type Warning } from "./smart.ts";
import { roundScore, tierOf } from "./tier.ts";
import { type Timeline, timeline } from "./timeline.ts";
import type {
  AgedLife,
  ApplianceHistory,
  ComponentHistory,
  Confidence,
  Evidence,
  PropertyHistory,
  Score,
} from "./types.ts";

export type ScoreOptions = {
  /** Ids of the appliances to return; the others are read only as far as they bear on these. */
  only?: ReadonlySet<string>;
  /** Fill `evidence`. */
  explain?: boolean;
  /** What has been learned beside the knowledge base; nothing unless given. */
  corrections?: Corrections;
  /** What is carried on by all appliances that bear on these; by those of the history unless given. */
  cascades?: CascadeEffects;
};

/**
 * Scores the components of a property as of a day, by component id. A pure function of the history: nothing dated
 * after `asOf` counts, and neither does the order in which anything arrived.
 */
export function scoreProperty(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  options: ScoreOptions = {},
): Map<string, Score> {
  return runSteps(scorePropertyInSteps(knowledge, history, asOf, options));
}

/** The same in steps, however long the histories are. */
export function* scorePropertyInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  { only, explain = false, corrections = UNCORRECTED, ...given }: ScoreOptions = {},
): Steps<Map<string, Score>> {
  const surroundings = surroundingsOf(knowledge, history, asOf, corrections, explain);
  const appliances: AssessedAppliance[] = [];
  for (const appliance of history.appliances) {
    if (only && !only.has(appliance.id) && !knowledge.cascadingTypes.has(appliance.typeId)) continue;
    const assessed =
      appliance.events.length > LONG
        ? yield* assessLong(knowledge, appliance, surroundings)
        : assessAppliance(knowledge, appliance, surroundings);
    if (appliances.push(assessed) % STEP === 0) yield;
  }
  const cascades = given.cascades ?? new CascadeEffects(knowledge, appliances);
  const scores = new Map<string, Score>();
  for (const [at, appliance] of appliances.entries()) {
    if (at > 0 && at % STEP === 0) yield;
    if (only && !only.has(appliance.id)) continue;
    for (const component of appliance.components) {
      const cascade = cascades.ratio(component.def.id, appliance, component.trail);
      scores.set(component.id, finish(knowledge, component, cascade));
    }
  }
  return scores;
}

/** What appliances carry on to others is worked out of these, which may be some of a property's at a time. */
export function* scoreCascadeSourcesInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  corrections: Corrections,
): Steps<CascadeSource[]> {
  const surroundings = surroundingsOf(knowledge, history, asOf, corrections, false);
  const scored: CascadeSource[] = [];
  for (const appliance of history.appliances) {
    const components = appliance.components.filter(({ defId }) => knowledge.cascadesAcross.has(defId));
    const upstream = { ...appliance, components };
    const {
      typeId,
      unitId,
      standaloneScores: standalone,
    } = appliance.events.length > LONG
      ? yield* assessLong(knowledge, upstream, surroundings)
      : assessAppliance(knowledge, upstream, surroundings);
    if (scored.push({ typeId, unitId, standaloneScores: standalone }) % STEP === 0) yield;
  }
  return scored;
}

function surroundingsOf(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  corrections: Corrections,
  explain: boolean,
): Surroundings {
  const today = dayNumber(asOf);
  return {
    environment: knowledge.environment(history.state),
    claims: strongestClaims(knowledge, history.claims, today),
    recordsSince: Math.min(dayNumber(history.recordsSince), today),
    corrections,
    today,
    explain,
  };
}

/** What all appliances of a property share. */
type Surroundings = {
  environment: Environment;
  claims: readonly WeightedClaim[];
  recordsSince: number;
  corrections: Corrections;
  today: number;
  explain: boolean;
};

/** A component before cascades. */
type Assessment = {
  id: string;
  def: ComponentDef;
  lifeFactor: number;
  life: AgedLife;
  ageYears: number;
  /** Product of the hazard ratios, not yet held within its limits. */
  ratio: number;
  acuteHazard: number;
  /** Risk of the period that a score looks ahead, without cascade. */
  risk: number;
  confidence: Confidence;
  trail: Trail;
};

type AssessedAppliance = CascadeSource & { id: string; components: readonly Assessment[] };

/** What all components of an appliance share. */
type Shared = Surroundings & {
  appliance: ApplianceHistory;
  events: Timeline;
  warnings: readonly Warning[];
  /** Components that suffer from the appliance's make. */
  hazard: ReadonlySet<string>;
  brandIsKnown: boolean;
};

/** More events than that are read with a break after each component. */
const LONG = 1000;
/** Appliances that are assessed in one step. */
const STEP = 50;

function assessAppliance(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  surroundings: Surroundings,
): AssessedAppliance {
  const shared = sharedOf(knowledge, appliance, surroundings);
  return together(
    knowledge,
    appliance,
    appliance.components.map((component) => assess(knowledge, component, shared)),
  );
}

/** The same in steps. */
function* assessLong(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  surroundings: Surroundings,
): Steps<AssessedAppliance> {
  const shared = sharedOf(knowledge, appliance, surroundings);
  const components: Assessment[] = [];
  for (const component of appliance.components) {
    components.push(assess(knowledge, component, shared));
    yield;
  }
  return together(knowledge, appliance, components);
}

function sharedOf(knowledge: Knowledge, appliance: ApplianceHistory, surroundings: Surroundings): Shared {
  const { typeId, brand, model } = appliance;
  const hazard = knowledge.hazard(typeId, brand, model);
  return {
    ...surroundings,
    appliance,
    events: timeline(appliance.events, surroundings.today),
    warnings: activeWarnings(knowledge, appliance.smartEvents, surroundings.today),
    hazard,
    brandIsKnown: isBrandKnown(knowledge, appliance, hazard),
  };
}

function together(
  { model }: Knowledge,
  { id, typeId, unitId }: ApplianceHistory,
  components: readonly Assessment[],
): AssessedAppliance {
  const standalone = new Map(components.map(({ def, risk }) => [def.id, cumulativeRisk(risk, model)]));
  return { id, typeId, unitId, standaloneScores: standalone, components };
}

/** Whether the knowledge base knows the make, by its tier or as one on a hazard list. */
export function isBrandKnown(
  knowledge: Knowledge,
  { typeId, brand, model }: Pick<ApplianceHistory, "typeId" | "brand" | "model">,
  hazard = knowledge.hazard(typeId, brand, model),
): boolean {
  return hazard.size > 0 || knowledge.brandTier(typeId, brand) !== undefined;
}

function assess(knowledge: Knowledge, component: ComponentHistory, shared: Shared): Assessment {
  const { model } = knowledge;
  const { id, defId } = component;
  const { appliance, events, warnings, today, environment, recordsSince, corrections, brandIsKnown } = shared;
  const { brandTier, usageIntensity } = appliance;
  const def = knowledge.component(defId);
  const lifeFactor = calibratedLife(def, appliance.id, corrections);
  const setting = { brandTier, usageIntensity, environment, recordsSince, lifeFactor };
  const life = agedLife(def, component, events, setting, today, model);
  const subject: Subject = { id, def, since: life.replacedOn ?? -Infinity, today };
  const trail: Trail = shared.explain ? [] : undefined;
  const ratio = ownRatio(knowledge, subject, shared, trail);
  const acute = acuteHazard(knowledge, subject, warnings, events.events, trail);
  return {
    id,
    def,
    lifeFactor,
    life,
    ageYears: Math.max(0, today - life.bornOn) / DAYS_PER_YEAR,
    ratio,
    acuteHazard: acute,
    risk: periodRisk(outlookOf(def, life, held(knowledge, ratio), acute), model),
    confidence: confidenceOf(recentServiceRecord(id, events.events, today, model), brandIsKnown, model),
    trail,
  };
}

/** Product of all hazard ratios but cascades. */
function ownRatio(knowledge: Knowledge, subject: Subject, shared: Shared, trail: Trail): number {
  const { events, claims, hazard, appliance, corrections } = shared;
  const { strength } = corrections;
  const service = serviceRatios(knowledge, subject, events.events, trail);
  if (trail) noteStrength(trail, strength);
  const condition = strengthened(service.condition, strength.condition);
  const repairs = strengthened(service.repairs, strength.repairs);
  const claim = claimsRatio(subject, claims, trail);
  const { hazardBrand } = knowledge.model.evidence;
  const make = hazard.has(subject.def.id)
    ? enter(trail, "hazard_brand", appliance.brand ?? appliance.model ?? "", null, hazardBrand.ratio)
    : 1;
  return service.others * repairs * condition * claim * make;
}

const strengthened = (ratio: number, power: number) => (power === 1 || ratio === 1 ? ratio : ratio ** power);

function noteStrength(trail: Evidence[], { condition, repairs }: Corrections["strength"]): void {
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

/** The product of ratios within the limits that keep any heap of evidence from deciding alone. */
function held(knowledge: Knowledge, ratio: number): number {
  const { lowestProduct, highestProduct } = knowledge.model.evidence;
  return clamp(ratio, lowestProduct, highestProduct);
}

/** What looking ahead rests on. */
export function outlookOf(
  def: ComponentDef,
  life: AgedLife,
  hazardRatio: number,
  acuteHazard: number,
): Outlook {
  const { scaleYears, effectiveAgeYears, rate } = life;
  return { scaleYears, weibullShape: def.weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard };
}

function finish(knowledge: Knowledge, component: Assessment, cascade: number): Score {
  const { model } = knowledge;
  const { def, life, ratio, acuteHazard } = component;
  const hazardRatio = held(knowledge, ratio * cascade);
  const risk =
    cascade === 1 ? component.risk : periodRisk(outlookOf(def, life, hazardRatio, acuteHazard), model);
  const riskScore = roundScore(cumulativeRisk(risk, model), model.score.highest);
  const score: Score = {
    scaleYears: life.scaleYears,
    lifeFactor: component.lifeFactor,
    effectiveAgeYears: life.effectiveAgeYears,
    rate: life.rate,
    hazardRatio,
    acuteHazard,
    prior: life.prior,
    periodRisk: risk,
    riskScore,
    riskTier: tierOf(riskScore),
    confidence: component.confidence,
    ageYears: component.ageYears,
  };
  if (component.trail) {
    score.evidence = component.trail;
    score.working = { life, ownRatio: ratio, cascadeRatio: cascade };
  }
  return score;
}

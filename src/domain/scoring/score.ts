import type { Environment, Knowledge } from "../knowledge.ts";
import { DAYS_PER_YEAR, type Day, dayNumber } from "../time.ts";
import { clamp, posterior } from "./bayes.ts";
import { cascadeRatio, type ScoredAppliance } from "./cascade.ts";
import { claimsRatio, type LiveClaim, strongestClaims } from "./claims.ts";
import { confidenceOf } from "./confidence.ts";
import { enter, type Subject, serviceRatio, type Trail } from "./evidence.ts";
import { brandedMedian } from "./projection.ts";
import { smartRatio, standingWarnings, type Warning } from "./smart.ts";
import { roundScore, tierOf } from "./tier.ts";
import { type DatedEvent, lastReplacement, timeline } from "./timeline.ts";
import type { ApplianceHistory, ComponentHistory, Confidence, PropertyHistory, Score } from "./types.ts";
import { ageingFrom, ageingRate, virtualAge } from "./virtual-age.ts";
import { cumulativeProbability, scaleFromMedian } from "./weibull.ts";

export type ScoreOptions = {
  /** Ids of the appliances to return; the others are read only as far as they bear on these. */
  only?: ReadonlySet<string>;
  /** Fill `evidence`. */
  explain?: boolean;
};

/**
 * Scores the components of a property as of a day, by component id. A pure function of the history: nothing dated
 * after `asOf` counts, and neither does the order in which anything arrived.
 */
export function scoreProperty(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  { only, explain = false }: ScoreOptions = {},
): Map<string, Score> {
  const today = dayNumber(asOf);
  const surroundings: Surroundings = {
    environment: knowledge.environment(history.state),
    claims: strongestClaims(knowledge, history.claims, today),
    today,
    explain,
  };
  const appliances = history.appliances
    .filter(({ id, typeId }) => !only || only.has(id) || knowledge.cascadingTypes.has(typeId))
    .map((appliance) => assessAppliance(knowledge, appliance, surroundings));
  const byType = Map.groupBy(appliances, (appliance) => appliance.typeId);
  const scores = new Map<string, Score>();
  for (const appliance of appliances) {
    if (only && !only.has(appliance.id)) continue;
    for (const component of appliance.components) {
      const cascade = cascadeRatio(knowledge, component.defId, appliance, byType, component.trail);
      scores.set(component.id, finish(knowledge, component, cascade));
    }
  }
  return scores;
}

/** What all appliances of a property share. */
type Surroundings = {
  environment: Environment;
  claims: readonly LiveClaim[];
  today: number;
  explain: boolean;
};

/** A component before cascades. */
type Assessment = {
  id: string;
  defId: string;
  ageYears: number;
  virtualAgeYears: number;
  rate: number;
  /** Prior probability of failure, from age alone. */
  prior: number;
  /** Product of the likelihood ratios, not yet held within its limits. */
  ratio: number;
  confidence: Confidence;
  trail: Trail;
};

type AssessedAppliance = ScoredAppliance & { id: string; components: readonly Assessment[] };

/** What all components of an appliance share. */
type Shared = Surroundings & {
  appliance: ApplianceHistory;
  events: readonly DatedEvent[];
  warnings: readonly Warning[];
  /** Components that suffer from the appliance's make. */
  hazard: ReadonlySet<string>;
  brandIsKnown: boolean;
};

function assessAppliance(
  knowledge: Knowledge,
  appliance: ApplianceHistory,
  surroundings: Surroundings,
): AssessedAppliance {
  const { id, typeId, unitId, brand, model } = appliance;
  const hazard = knowledge.hazard(typeId, brand, model);
  const shared: Shared = {
    ...surroundings,
    appliance,
    events: timeline(appliance.events, surroundings.today),
    warnings: standingWarnings(knowledge, appliance.smartEvents, surroundings.today),
    hazard,
    brandIsKnown: hazard.size > 0 || knowledge.brandTier(typeId, brand) !== undefined,
  };
  const components = appliance.components.map((component) => assess(knowledge, component, shared));
  const standalone = new Map(
    components.map(({ defId, prior, ratio }) => [defId, posterior(prior, held(knowledge, ratio))]),
  );
  return { id, typeId, unitId, standalone, components };
}

function assess(knowledge: Knowledge, component: ComponentHistory, shared: Shared): Assessment {
  const { model } = knowledge;
  const { id, defId, installYear, overrideLifespan } = component;
  const { appliance, events, today, brandIsKnown } = shared;
  const def = knowledge.component(defId);
  const replacedOn = lastReplacement(component, events, today);
  const from = ageingFrom(installYear, replacedOn);
  const rate = ageingRate(def, appliance.usageIntensity, shared.environment, model);
  const virtualAgeYears = virtualAge(def, id, events, { from, today, rate }, model);
  const { medianLifeYears, weibullShape } = def;
  const life = { medianLifeYears, weibullShape, brandTier: appliance.brandTier, overrideLifespan };
  const scale = scaleFromMedian(brandedMedian(life, model), weibullShape);
  const trail: Trail = shared.explain ? [] : undefined;
  return {
    id,
    defId,
    ageYears: Math.max(0, today - from) / DAYS_PER_YEAR,
    virtualAgeYears,
    rate,
    prior: cumulativeProbability(virtualAgeYears, scale, weibullShape),
    ratio: ownRatio(knowledge, { id, def, since: replacedOn ?? -Infinity, today }, shared, trail),
    confidence: confidenceOf(id, events, brandIsKnown, today, model),
    trail,
  };
}

/** Product of all likelihood ratios but cascades. */
function ownRatio(knowledge: Knowledge, subject: Subject, shared: Shared, trail: Trail): number {
  const { events, warnings, claims, hazard, appliance } = shared;
  const service = serviceRatio(knowledge, subject, events, trail);
  const claim = claimsRatio(subject, claims, trail);
  const smart = smartRatio(subject, warnings, events, trail);
  const { hazardBrand } = knowledge.model.evidence;
  const make = hazard.has(subject.def.id)
    ? enter(trail, "hazard_brand", appliance.brand ?? appliance.model ?? "", null, hazardBrand.ratio)
    : 1;
  return service * claim * smart * make;
}

/** The product of ratios within the limits that keep any heap of evidence from deciding alone. */
function held(knowledge: Knowledge, ratio: number): number {
  const { lowestProduct, highestProduct } = knowledge.model.evidence;
  return clamp(ratio, lowestProduct, highestProduct);
}

function finish(knowledge: Knowledge, component: Assessment, cascade: number): Score {
  const evidenceRatio = held(knowledge, component.ratio * cascade);
  const probability = posterior(component.prior, evidenceRatio);
  const riskScore = roundScore(probability, knowledge.model.highestScore);
  const score: Score = {
    probability,
    priorAgeYears: component.virtualAgeYears,
    rate: component.rate,
    evidenceRatio,
    riskScore,
    riskTier: tierOf(riskScore),
    confidence: component.confidence,
    ageYears: component.ageYears,
  };
  if (component.trail) score.evidence = component.trail;
  return score;
}

import type { Knowledge } from "../domain-knowledge.ts";
import { runSteps, type Steps } from "../steps/computation-steps.ts";
import type { Day } from "../time.ts";
import { CascadeEffects, type CascadeSource } from "./failure-cascade.ts";
import { cumulativeRiskOverScorePeriods, riskWithinScoredPeriod } from "./outlook.ts";
import { roundScore, tierOf } from "./risk-tier.ts";
import { type ModelCorrections, UNCORRECTED } from "./score-model-corrections.ts";
import {
  type ApplianceWithoutCascades,
  type ComponentWithoutCascades,
  hasLongHistory,
  limitHazardRatio,
  outlookWithHazards,
  scoreWithoutCascades,
  scoreWithoutCascadesInSteps,
  scoringContextOfProperty,
} from "./score-without-cascades.ts";
import type { PropertyHistory, Score } from "./scoring-types.ts";

export type ScoreOptions = {
  /** Ids of the appliances to return. The others are read only as far as they bear on these. */
  only?: ReadonlySet<string>;
  /** Fills `evidence` and `working`. */
  explain?: boolean;
  /** Corrections by calibration; none by default. */
  corrections?: ModelCorrections;
  /** Cascades of all appliances that bear on these; by default, of the appliances of the history. */
  cascades?: CascadeEffects;
};

/** Appliances that are scored in one step. */
const APPLIANCES_PER_STEP = 50;

/**
 * Scores the components of a property as of a day, by component id (docs/model/scoring.md). The result depends on the
 * history alone: records dated after `asOf`, and the order of records, change nothing.
 */
export function scoreProperty(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  options: ScoreOptions = {},
): Map<string, Score> {
  return runSteps(scorePropertyInSteps(knowledge, history, asOf, options));
}

/** Returns the scores of a property by component ID, as `scoreProperty` does, in steps. */
export function* scorePropertyInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  { only, explain = false, corrections = UNCORRECTED, ...given }: ScoreOptions = {},
): Steps<Map<string, Score>> {
  const context = scoringContextOfProperty(knowledge, history, asOf, corrections, explain);
  const appliances: ApplianceWithoutCascades[] = [];
  for (const appliance of history.appliances) {
    if (only && !only.has(appliance.id) && !knowledge.cascadingTypes.has(appliance.typeId)) continue;
    const scored = hasLongHistory(appliance)
      ? yield* scoreWithoutCascadesInSteps(knowledge, appliance, context)
      : scoreWithoutCascades(knowledge, appliance, context);
    if (appliances.push(scored) % APPLIANCES_PER_STEP === 0) yield;
  }
  const cascades = given.cascades ?? new CascadeEffects(knowledge, appliances);
  const scores = new Map<string, Score>();
  for (let index = 0; index < appliances.length; index++) {
    if (index > 0 && index % APPLIANCES_PER_STEP === 0) yield;
    const appliance = appliances[index]!;
    if (!only || only.has(appliance.id)) addScores(scores, knowledge, appliance, cascades);
  }
  return scores;
}

function addScores(
  scores: Map<string, Score>,
  knowledge: Knowledge,
  appliance: ApplianceWithoutCascades,
  cascades: CascadeEffects,
): void {
  for (const component of appliance.components) {
    const cascade = cascades.ratio(component.def.id, appliance, component.trail);
    scores.set(component.id, scoreWithCascade(knowledge, component, cascade));
  }
}

/**
 * Scores the components that cascade into other appliances, without cascades. `CascadeEffects` takes the results of
 * several calls together, so a property's appliances may be passed in parts.
 */
export function* scoreCascadeSourcesInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  corrections: ModelCorrections,
): Steps<CascadeSource[]> {
  const context = scoringContextOfProperty(knowledge, history, asOf, corrections, false);
  const sources: CascadeSource[] = [];
  for (const appliance of history.appliances) {
    const components = appliance.components.filter(({ defId }) => knowledge.cascadesAcross.has(defId));
    const source = { ...appliance, components };
    const { typeId, unitId, upstreamScores } = hasLongHistory(appliance)
      ? yield* scoreWithoutCascadesInSteps(knowledge, source, context)
      : scoreWithoutCascades(knowledge, source, context);
    if (sources.push({ typeId, unitId, upstreamScores }) % APPLIANCES_PER_STEP === 0) yield;
  }
  return sources;
}

function scoreWithCascade(knowledge: Knowledge, component: ComponentWithoutCascades, cascade: number): Score {
  const { model } = knowledge;
  const { def, life, ratio, acuteHazard } = component;
  const hazardRatio = limitHazardRatio(knowledge, ratio * cascade);
  const risk =
    cascade === 1
      ? component.risk
      : riskWithinScoredPeriod(outlookWithHazards(def, life, hazardRatio, acuteHazard), model);
  const riskScore = roundScore(cumulativeRiskOverScorePeriods(risk, model), model.score.highest);
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

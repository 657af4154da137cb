import type { PlacedComponent } from "../component.ts";
import type { ComponentCosts } from "../costs/component-costs.ts";
import type { ComponentDef, Knowledge } from "../domain-knowledge.ts";
import type { Plannable } from "../planning/component-plan.ts";
import type { PlanContext } from "../planning/planned-appliance.ts";
import { type ServiceRecord, serviceRecordOf } from "../scoring/confidence.ts";
import { datedEventsUpTo } from "../scoring/dated-events.ts";
import { type FailureWindowDays, failureWindowAsOf } from "../scoring/failure-window.ts";
import {
  cumulativeRiskOverScorePeriods,
  daysToEvenOdds,
  effectiveLifespan,
  evenOddsFailureDay,
  type Outlook,
  type Projection,
  projectFailure,
  scoredPeriodDays,
} from "../scoring/outlook.ts";
import { scorePropertyInSteps } from "../scoring/score.ts";
import type { ModelCorrections } from "../scoring/score-model-corrections.ts";
import { isBrandKnownToScoring, outlookWithHazards } from "../scoring/score-without-cascades.ts";
import type { ApplianceHistory, PropertyHistory, Score } from "../scoring/scoring-types.ts";
import type { ChangeName, WhatIfTarget } from "../scoring/what-if-score.ts";
import { cumulativeHazard } from "../statistics/weibull-distribution.ts";
import { runSteps, type Steps } from "../steps/computation-steps.ts";
import { DAYS_PER_YEAR, type Day, dayNumber } from "../time.ts";
import { type AgeParts, explainAge } from "./explanation-of-age.ts";
import { type ExplainedEvidence, explainEvidence } from "./explanation-of-evidence.ts";
import { explainAgingRate, explainLife, type LifeParts, type RateParts } from "./explanation-of-life.ts";
import { explainReplacementDecision, type ReplacementDecision } from "./replacement-decision.ts";

/** The calculation of a component's score: each number with its inputs, unrounded. */
export type Explanation = {
  asOf: Day;
  def: ComponentDef;
  appliance: ApplianceHistory;
  score: Score;
  life: LifeParts;
  rate: RateParts;
  age: AgeParts;
  evidence: readonly ExplainedEvidence[];
  product: ProductParts;
  risk: RiskParts;
  record: ServiceRecord;
  brandIsKnown: boolean;
  outlook: Outlook;
  projection: Projection & { projectedFailureOn: Day; daysToEvenOdds: number; window: FailureWindowDays };
  decision: ReplacementDecision;
};

/** The explanation of a score alone, without what to do about it. */
export type ScoreParts = Omit<Explanation, "decision">;

/** The explanation of a stored component as of the day of its latest score. */
export type ExplainedComponent = {
  component: PlacedComponent;
  modelVersion: string;
  costs: ComponentCosts;
  explanation: Explanation;
  corrections: ModelCorrections;
  /** The score after each possible change. */
  changes: readonly { change: ChangeName; score: Score }[];
};

/** The product of the evidence. */
type ProductParts = {
  /** Product of all factors but cascades. */
  own: number;
  /** Product of the cascades before their limit. */
  cascadesUnlimited: number;
  cascades: number;
  /** θ before its limits: own · cascades. */
  unlimited: number;
  hazardRatio: number;
};

/** From hazard to score. */
type RiskParts = {
  periodDays: number;
  /** Cumulative hazard of the period from age alone. */
  hazardByAge: number;
  /** The share of the acute hazard within the period. */
  acuteShare: number;
  /** θ · hazardByAge + Λ · acuteShare. */
  cumulativeHazard: number;
  /** 1 − (1 − q)^periods, unrounded. */
  cumulativeRisk: number;
};

/** Explains a component's score as of a day. The history must contain its appliance. */
export function explainScore(
  knowledge: Knowledge,
  history: PropertyHistory,
  target: WhatIfTarget,
  asOf: Day,
  corrections: ModelCorrections,
  planning: Omit<PlanContext<Plannable>, "knowledge">,
): Explanation {
  const { parts, scores } = runSteps(explainedInSteps(knowledge, history, target, asOf, corrections));
  return {
    ...parts,
    decision: explainReplacementDecision(
      { knowledge, ...planning },
      plannableComponents(parts.appliance, scores, history.recordsSince, asOf),
      target.componentId,
      asOf,
    ),
  };
}

/** Explains a score alone, as `explainScore` does, in steps. */
export function* explainScorePartsInSteps(...given: Parameters<typeof explainedInSteps>): Steps<ScoreParts> {
  return (yield* explainedInSteps(...given)).parts;
}

function* explainedInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  { applianceId, componentId }: WhatIfTarget,
  asOf: Day,
  corrections: ModelCorrections,
): Steps<{ parts: ScoreParts; scores: ReadonlyMap<string, Score> }> {
  const { model } = knowledge;
  const today = dayNumber(asOf);
  const only = new Set([applianceId]);
  const scores = yield* scorePropertyInSteps(knowledge, history, asOf, { only, corrections, explain: true });
  const score = scores.get(componentId)!;
  const appliance = history.appliances.find(({ id }) => id === applianceId)!;
  const component = appliance.components.find(({ id }) => id === componentId)!;
  const def = knowledge.component(component.defId);
  const { life } = score.working!;
  const events = datedEventsUpTo(appliance.events, today);
  const recordsSince = Math.min(dayNumber(history.recordsSince), today);
  const environment = knowledge.environment(history.state);
  const outlook = outlookWithHazards(def, life, score.hazardRatio, score.acuteHazard);
  const evidence = score.evidence!.map((one) => explainEvidence(knowledge, def.id, one, today));
  const parts = {
    asOf,
    def,
    appliance,
    score,
    life: explainLife(def, component, appliance, life, corrections, model),
    rate: explainAgingRate(def, appliance.usageIntensity, environment, life, model),
    age: explainAge(def, componentId, life, events, recordsSince, today, model),
    evidence,
    product: productOf(score, evidence),
    risk: riskOf(score, outlook, knowledge),
    record: serviceRecordOf(componentId, events.events, today, model),
    brandIsKnown: isBrandKnownToScoring(knowledge, appliance),
    outlook,
    projection: {
      ...projectFailure(outlook, score.confidence, asOf, model),
      projectedFailureOn: evenOddsFailureDay(outlook, asOf),
      daysToEvenOdds: daysToEvenOdds(outlook),
      window: failureWindowAsOf(outlook, score.lifeFactor !== 1, asOf, model),
    },
  };
  return { parts, scores };
}

/** Returns the appliance's components as planning reads them. */
function plannableComponents(
  appliance: ApplianceHistory,
  scores: ReadonlyMap<string, Score>,
  recordsSince: Day,
  scoredOn: Day,
): Plannable[] {
  const { id: applianceId, typeId, brandTier, installYearBasis, components } = appliance;
  // Deficiencies decide how urgent a replacement is, and not which action it is.
  const place = { applianceId, typeId, brandTier, installYearBasis, recordsSince, scoredOn, deficiencies: 0 };
  return components.map((component) => ({ ...place, ...component, ...scores.get(component.id)! }));
}

function productOf({ working, hazardRatio }: Score, evidence: readonly ExplainedEvidence[]): ProductParts {
  const { ownRatio, cascadeRatio } = working!;
  const ofCascades = evidence.filter(({ kind }) => kind === "cascade");
  return {
    own: ownRatio,
    cascadesUnlimited: ofCascades.reduce((product, { factor }) => product * factor, 1),
    cascades: cascadeRatio,
    unlimited: ownRatio * cascadeRatio,
    hazardRatio,
  };
}

function riskOf(score: Score, outlook: Outlook, { model }: Knowledge): RiskParts {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard } = outlook;
  const periodDays = scoredPeriodDays(outlook, model);
  const later = effectiveAgeYears + (rate * periodDays) / DAYS_PER_YEAR;
  const hazardByAge =
    cumulativeHazard(later, scaleYears, weibullShape) -
    cumulativeHazard(effectiveAgeYears, scaleYears, weibullShape);
  const acuteShare = Math.min(1, periodDays / model.evidence.smartEvent.spanDays);
  return {
    periodDays,
    hazardByAge,
    acuteShare,
    cumulativeHazard: hazardRatio * hazardByAge + acuteHazard * acuteShare,
    cumulativeRisk: cumulativeRiskOverScorePeriods(score.periodRisk, model),
  };
}

/** Returns the calendar years from new to an even chance of having failed: L. */
export const effectiveLifespanOf = ({ outlook }: Explanation) => effectiveLifespan(outlook);

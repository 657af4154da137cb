import type { Component } from "./component.ts";
import type { Knowledge } from "./knowledge.ts";
import { lifeScale } from "./scoring/aged-life.ts";
import {
  failureProbability,
  type Outlook,
  type Projection,
  project,
  scoreByAging,
} from "./scoring/outlook.ts";
import type { BrandTier, ScoreState } from "./scoring/types.ts";

/** A stored component, as far as looking ahead from its latest score needs. */
type Scored = ScoreState & Pick<Component, "defId" | "overrideLifespan" | "scoredOn" | "confidence">;

/** When a component is expected to fail, from the day of its latest score. */
export function projectionOf(knowledge: Knowledge, component: Scored, brandTier: BrandTier): Projection {
  const { confidence, scoredOn } = component;
  return project(outlookOf(knowledge, component, brandTier), confidence, scoredOn, knowledge.model);
}

/** The probability of failing within `days` of its latest score, given that it works then. */
export function failureWithin(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  days: number,
): number {
  return failureProbability(outlookOf(knowledge, component, brandTier), days, knowledge.model);
}

/** The score in `days` days through ageing alone, 0 to 0.99. */
export function agedScore(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  days: number,
): number {
  return scoreByAging(outlookOf(knowledge, component, brandTier), days, knowledge.model);
}

/** What looking ahead from a stored component's latest score rests on. */
export function outlookOf(knowledge: Knowledge, component: Scored, brandTier: BrandTier): Outlook {
  const { lifeFactor, effectiveAgeYears, rate, hazardRatio, acuteHazard, overrideLifespan } = component;
  const def = knowledge.component(component.defId);
  const scaleYears = lifeScale(def, overrideLifespan, { brandTier, lifeFactor }, knowledge.model);
  const { weibullShape } = def;
  return { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard };
}

import type { Component } from "./component.ts";
import type { Knowledge } from "./knowledge.ts";
import {
  failureProbability,
  type Life,
  type Projection,
  project,
  scoreByAgeing,
} from "./scoring/projection.ts";
import type { BrandTier, ScoreState } from "./scoring/types.ts";

/** A stored component, as far as looking ahead from its latest score needs. */
export type Scored = ScoreState & Pick<Component, "defId" | "overrideLifespan" | "scoredOn" | "confidence">;

/** When a component is expected to fail, from the day of its latest score. */
export function projectionOf(knowledge: Knowledge, component: Scored, brandTier: BrandTier): Projection {
  return project(
    component,
    lifeOf(knowledge, component, brandTier),
    component.confidence,
    component.scoredOn,
    knowledge.model,
  );
}

/** The probability of failing within `days` of its latest score, given that it works then. */
export function failureWithin(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  days: number,
): number {
  return failureProbability(component, lifeOf(knowledge, component, brandTier), days, knowledge.model);
}

/** The score in `days` days through ageing alone, 0 to 0.99. */
export function agedScore(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  days: number,
): number {
  return scoreByAgeing(component, lifeOf(knowledge, component, brandTier), days, knowledge.model);
}

function lifeOf(knowledge: Knowledge, component: Scored, brandTier: BrandTier): Life {
  const { medianLifeYears, weibullShape } = knowledge.component(component.defId);
  return { medianLifeYears, weibullShape, brandTier, overrideLifespan: component.overrideLifespan };
}

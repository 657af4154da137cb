import { type Component, WARNING_FROM } from "../component.ts";
import type { ComponentDef, Knowledge } from "../domain-knowledge.ts";
import { DAYS_IN_12_MONTHS } from "../time.ts";
import { lifeScale } from "./aged-life.ts";
import { type FailureWindowDays, failureWindowAsOf } from "./failure-window.ts";
import {
  failureProbability,
  type Outlook,
  type Projection,
  projectFailure,
  scoreByAging,
} from "./outlook.ts";
import type { BrandTier, ScoreState } from "./scoring-types.ts";

/** The fields of a stored component that its outlook follows from. */
export type StoredOutlook = ScoreState & Pick<Component, "defId" | "overrideLifespan">;
/** The fields of a stored component that projections read. */
type Scored = StoredOutlook & Pick<Component, "scoredOn" | "confidence">;

/** Projects a component's failure from the day of its latest score. A caller that has its outlook passes it. */
export function projectionOfStoredScore(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  outlook = scoredComponentOutlook(knowledge, component, brandTier),
): Projection {
  const { confidence, scoredOn } = component;
  return projectFailure(outlook, confidence, scoredOn, knowledge.model);
}

/** Returns the probability of failing within `days` of the latest score, given that the component works then. */
export function failureProbabilityWithin(
  knowledge: Knowledge,
  component: StoredOutlook,
  brandTier: BrandTier,
  days: number,
  outlook = scoredComponentOutlook(knowledge, component, brandTier),
): number {
  return failureProbability(outlook, days, knowledge.model);
}

/** Returns the probability of failing within 12 months of the latest score, rounded as in responses. */
export const failureProbability12m = (
  knowledge: Knowledge,
  component: StoredOutlook,
  brandTier: BrandTier,
  outlook?: Outlook,
): number =>
  Math.round(failureProbabilityWithin(knowledge, component, brandTier, DAYS_IN_12_MONTHS, outlook) * 10_000) /
  10_000;

/**
 * The digits of the expected cost that alerts are sorted by. Aging by a day moves a value of two digits for one component in
 * forty, so that the daily snapshot leaves the index of alerts by cost nearly as it is.
 */
const SORTED_DIGITS = 2;

/**
 * Returns the expected cost of a failure within 12 months by which alerts are sorted, in cents to two significant digits. 0 for
 * a component below WARNING.
 */
export function expectedFailureCostForSorting(
  knowledge: Knowledge,
  component: StoredOutlook & Pick<Component, "riskScore">,
  brandTier: BrandTier,
  failedCents: number,
): number {
  if (component.riskScore < WARNING_FROM) return 0;
  const expected = failureProbability12m(knowledge, component, brandTier) * failedCents;
  return Math.round(Number(expected.toPrecision(SORTED_DIGITS)));
}

/** Returns the failure window of a component from the day of its latest score. */
export function scoredComponentFailureWindow(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  outlook = scoredComponentOutlook(knowledge, component, brandTier),
): FailureWindowDays {
  return failureWindowAsOf(outlook, component.lifeFactor !== 1, component.scoredOn, knowledge.model);
}

/** Returns the score in `days` days through aging alone, 0 to 0.99. */
export function scoredComponentAgedScore(
  knowledge: Knowledge,
  component: Scored,
  brandTier: BrandTier,
  days: number,
): number {
  return scoreByAging(scoredComponentOutlook(knowledge, component, brandTier), days, knowledge.model);
}

/** Returns the outlook of a stored component as of its latest score. A caller that has its definition passes it. */
export function scoredComponentOutlook(
  knowledge: Knowledge,
  component: StoredOutlook,
  brandTier: BrandTier,
  def = knowledge.component(component.defId),
): Outlook {
  const { lifeFactor, effectiveAgeYears, rate, hazardRatio, acuteHazard, overrideLifespan } = component;
  const scaleYears = lifeScale(def, overrideLifespan, { brandTier, lifeFactor }, knowledge.model);
  const { weibullShape } = def;
  return { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard };
}

/** The definition and the outlook, from which the record of a stored component and its action both follow. */
export type DefinedOutlook = { def: ComponentDef; outlook: Outlook };

/** Returns the definition and the outlook of a stored component. */
export function scoredComponentOutlookWithDefinition(
  knowledge: Knowledge,
  component: StoredOutlook & { brandTier: BrandTier },
): DefinedOutlook {
  const def = knowledge.component(component.defId);
  return { def, outlook: scoredComponentOutlook(knowledge, component, component.brandTier, def) };
}

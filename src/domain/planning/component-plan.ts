import type { Component } from "../component.ts";
import type { ComponentDef, Knowledge, ScoringModel } from "../knowledge.ts";
import { outlookOf } from "../projections.ts";
import { failureProbability, type Outlook } from "../scoring/outlook.ts";
import type { BrandTier } from "../scoring/types.ts";
import { addDays, DAYS_PER_YEAR, type Day } from "../time.ts";
import type { Candidate } from "./budget.ts";
import type { Part } from "./part.ts";
import { type PartPlan, planPart } from "./plan.ts";
import type { NewPartCache } from "./renewals.ts";
import type { YearlyCosts } from "./schedule.ts";

/** A stored component, as planning reads it. */
export type Plannable = Component & { brandTier: BrandTier };

export type ComponentPlan<C> = PartPlan & { component: C; part: Part };

/** Returns the part in place as of the component's latest score. */
export function partOf(knowledge: Knowledge, component: Plannable): Part {
  const def = knowledge.component(component.defId);
  return partInPlace(def, outlookOf(knowledge, component, component.brandTier), knowledge.model);
}

/** Returns the part in place, in calendar years and cents (docs/model/planning.md#part-in-place). */
export function partInPlace(
  { proactiveCents, reactiveCents }: Pick<ComponentDef, "proactiveCents" | "reactiveCents">,
  outlook: Outlook,
  model: ScoringModel,
): Part {
  const { weibullShape, scaleYears, effectiveAgeYears, rate, hazardRatio } = outlook;
  return {
    shape: weibullShape,
    scaleYears: scaleYears / rate,
    plannedCents: proactiveCents,
    failureCents: reactiveCents,
    ageYears: effectiveAgeYears / rate,
    hazardRatio,
    failureProbability: failureProbability(outlook, DAYS_PER_YEAR, model),
  };
}

/** Plans a component, and adds its expected costs to `sums`. */
export function planComponent<C extends Plannable>(
  knowledge: Knowledge,
  component: C,
  cache: NewPartCache,
  sums: YearlyCosts,
): ComponentPlan<C> {
  const part = partOf(knowledge, component);
  return { component, part, ...planPart(part, cache, sums) };
}

/** Returns the component as a candidate for a budget, in whole cents as shown. */
export function candidateOf(
  knowledge: Knowledge,
  { component, waitingCents }: ComponentPlan<Plannable>,
): Candidate {
  const { proactiveCents } = knowledge.component(component.defId);
  return { id: component.id, plannedCents: proactiveCents, waitingCents: Math.round(waitingCents) };
}

/** Later days than so many years ahead cannot be written. */
const LAST_DUE_YEARS = 7000;

/** Returns the due day; null for run to failure. */
export function dueOn({ dueInYears }: Pick<PartPlan, "dueInYears">, asOf: Day): Day | null {
  if (dueInYears === null) return null;
  return addDays(asOf, Math.ceil(Math.min(dueInYears, LAST_DUE_YEARS) * DAYS_PER_YEAR));
}

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

/** A stored component as far as its plan needs it. */
export type Plannable = Component & { brandTier: BrandTier };

export type ComponentPlan<C> = PartPlan & { component: C; part: Part };

/** A component as a plan sees it, from the day of its latest score. */
export function partOf(knowledge: Knowledge, component: Plannable): Part {
  const def = knowledge.component(component.defId);
  return partInPlace(def, outlookOf(knowledge, component, component.brandTier), knowledge.model);
}

/** A component as a plan sees it, of what is known of it. */
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

/** Plans a component, and adds what is to be expected of it to the sums. */
export function planComponent<C extends Plannable>(
  knowledge: Knowledge,
  component: C,
  known: NewPartCache,
  sums: YearlyCosts,
): ComponentPlan<C> {
  const part = partOf(knowledge, component);
  return { component, part, ...planPart(part, known, sums) };
}

/** What a budget sees of it, in the whole cents that are shown. */
export function candidateOf(
  knowledge: Knowledge,
  { component, waitingCents }: ComponentPlan<Plannable>,
): Candidate {
  const { proactiveCents } = knowledge.component(component.defId);
  return { id: component.id, plannedCents: proactiveCents, waitingCents: Math.round(waitingCents) };
}

const LAST_DUE_YEARS = 7000;

/** The day on which it is due; null where it is run to failure. */
export function dueOn({ dueInYears }: Pick<PartPlan, "dueInYears">, asOf: Day): Day | null {
  if (dueInYears === null) return null;
  return addDays(asOf, Math.ceil(Math.min(dueInYears, LAST_DUE_YEARS) * DAYS_PER_YEAR));
}

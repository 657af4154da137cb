import type { Component } from "../component.ts";
import type { ComponentDef, Knowledge, ScoringModel } from "../domain-knowledge.ts";
import { hasUnknownPast } from "../scoring/aged-life.ts";
import { failureProbability, type Outlook } from "../scoring/outlook.ts";
import { scoredComponentOutlookWithDefinition } from "../scoring/score-projections.ts";
import type { BrandTier, InstallYearBasis, ScoreState } from "../scoring/scoring-types.ts";
import { ageYears } from "../scoring/virtual-age.ts";
import { addDays, DAYS_PER_YEAR, type Day, dayNumber } from "../time.ts";
import type { Price } from "./appliance-pricing.ts";
import type { PartInPlace } from "./part-in-place.ts";

type Amounts = Pick<Price, "plannedCents" | "failedCents">;

/** A stored component, as planning reads it. */
export type Plannable = DueComponent &
  Pick<Component, "id" | "riskTier" | "confidence"> & {
    /** The inspections of its appliance with an open deficiency. */
    deficiencies: number;
  };

/** The fields of a stored component that decide whether it is due. */
export type DueComponent = Pick<
  Component,
  | keyof ScoreState
  | "applianceId"
  | "defId"
  | "installYear"
  | "installYearGiven"
  | "lastReplaced"
  | "past"
  | "overrideLifespan"
  | "scoredOn"
> & {
  typeId: string;
  brandTier: BrandTier;
  installYearBasis: InstallYearBasis;
  /** The day from which the property's service record is complete. */
  recordsSince: Day;
};

/** Returns the part in place as of the component's latest score. A caller that has its outlook passes it. */
export function partInPlaceOf(
  knowledge: Knowledge,
  component: DueComponent,
  price: Amounts,
  { def, outlook } = scoredComponentOutlookWithDefinition(knowledge, component),
): PartInPlace {
  const isCounted = def.fixedLifeYears !== null && !hasUnknownAge(def, component);
  const labelAge = isCounted ? ageYears(component, component.scoredOn) : undefined;
  return partInPlace(def, outlook, price, labelAge, knowledge.model);
}

/** Returns whether nobody knows the age of the part (docs/model/scoring.md#unknown-past). */
export function hasUnknownAge(
  def: Pick<ComponentDef, "replaced">,
  component: Pick<
    DueComponent,
    | "installYear"
    | "installYearGiven"
    | "installYearBasis"
    | "lastReplaced"
    | "past"
    | "recordsSince"
    | "scoredOn"
  >,
): boolean {
  const { lastReplaced, recordsSince, scoredOn } = component;
  if (lastReplaced !== null && lastReplaced <= scoredOn) return false;
  return hasUnknownPast(def, component, dayNumber(recordsSince));
}

/**
 * Returns the part in place, in calendar years and cents (docs/model/planning.md#part-in-place). `labelAge` is its age since
 * installation, undefined if unknown or if it has no fixed life.
 */
function partInPlace(
  { fixedLifeYears, safety }: Pick<ComponentDef, "fixedLifeYears" | "safety">,
  outlook: Outlook,
  { plannedCents, failedCents }: Amounts,
  labelAge: number | undefined,
  model: ScoringModel,
): PartInPlace {
  const { weibullShape, scaleYears, effectiveAgeYears, rate, hazardRatio } = outlook;
  const ageYears = effectiveAgeYears / rate;
  return {
    shape: weibullShape,
    scaleYears: scaleYears / rate,
    plannedCents,
    failureCents: failedCents,
    fixedLifeYears,
    safety,
    ageYears,
    labelAgeYears: labelAge ?? ageYears,
    hazardRatio,
    failureProbability: failureProbability(outlook, DAYS_PER_YEAR, model),
  };
}

/** Later days than so many years ahead cannot be written. */
const LAST_DUE_YEARS = 7000;

/** Returns the day that is so many years after `asOf`; null for run to failure. */
export function dueDayAfterYears(dueInYears: number | null, asOf: Day): Day | null {
  if (dueInYears === null) return null;
  return addDays(asOf, Math.ceil(Math.min(dueInYears, LAST_DUE_YEARS) * DAYS_PER_YEAR));
}

import type { ComponentDef, Knowledge } from "../domain-knowledge.ts";
import { scoredComponentOutlookWithDefinition } from "../scoring/score-projections.ts";
import { ageYears } from "../scoring/virtual-age.ts";
import { addDays, type Day } from "../time.ts";
import {
  type Action,
  actionOfPart,
  actionOfPartReplacedAlone,
  actionOfPartReplacedWithUnit,
  actionOfWholeUnit,
  type ImmediateHazard,
  type PartFacts,
  type UnitFacts,
  type UrgentPart,
} from "./action.ts";
import {
  type ApplianceAdvice,
  type AppliancePlan,
  adviseOnAppliance,
  isPartDue,
  type PlannedPart,
  planAppliance,
  scheduleAppliance,
  unitTimingOf,
  type WholeAppliance,
} from "./appliance-plan.ts";
import type { Price, PricingAtPlace } from "./appliance-pricing.ts";
import {
  type DueComponent,
  dueDayAfterYears,
  hasUnknownAge,
  type Plannable,
  partInPlaceOf,
} from "./component-plan.ts";
import type { CostSchedule } from "./cost-schedule.ts";
import { spreadDecisionValidityDays, unitTimingWithValidity } from "./due-decision-validity.ts";
import { newPartOf } from "./new-part.ts";
import { isSafetyPastLife, type PartInPlace } from "./part-in-place.ts";
import type { PlanCaches } from "./plan.ts";
import { dueInYearsOfPart } from "./replacement-advice.ts";
import { adviceOfPlannedUnit, type UnitTiming } from "./unit-advice.ts";

/** The work due now: `immediate` cannot wait, in the terms of a lender's engineer. */
export type DueNow = "immediate" | "short_term";

/** How urgent a replacement is. */
type Urgency = {
  /** Null unless it is due now. */
  dueNow: DueNow | null;
  /** True for a hazard, a safety item past its life and a unit that contains one: a budget buys it first, whatever it costs. */
  comesFirst: boolean;
};

/** A component's plan. */
export type ComponentPlan<C> = PlannedPart &
  Urgency & {
    component: C;
    /** The unit's for its principal part. */
    price: Price;
    action: Action;
    /** The due day of its own policy, or of its unit; null for run to failure. */
    dueOn: Day | null;
    /** Its costs by year; null for a part of a whole unit, whose schedule includes them. */
    schedule: CostSchedule | null;
  };

/** The plan of an appliance that is replaced as a whole. */
export type WholePlan<C> = NonNullable<AppliancePlan["unit"]> &
  Urgency & {
    /** Any of its components: they share type, unit and place. */
    component: C;
    applianceId: string;
    price: Price;
    action: Action;
    /** The due day; null for a unit that stays until its principal part fails. */
    dueOn: Day | null;
    /** Since its installation, or its last replacement as a whole. */
    calendarAgeYears: number;
    schedule: CostSchedule;
  };

/** The plan of a stored appliance. */
export type PlannedAppliance<C> = {
  applianceId: string;
  unit: WholePlan<C> | null;
  components: ComponentPlan<C>[];
};

/** The data that planning needs beside the components. */
export type PlanContext<C> = {
  knowledge: Knowledge;
  pricing: PricingAtPlace<C>;
  caches: PlanCaches;
  /** Returns the hazard of an appliance or part that its authority wants removed at once; null without one. */
  hazardOf: (component: C) => ImmediateHazard | null;
};

/** Components are those of one appliance. */
const isDeficient = ([first]: readonly Plannable[]) => first!.deficiencies > 0;

/** From this probability of failing within a year on, what is due now is an immediate repair. */
export const IMMEDIATE_PROBABILITY = 0.5;

/** Plans an appliance over a number of years from the current scores of its components, which must all be given. */
export function planApplianceFromScores<C extends Plannable>(
  context: PlanContext<C>,
  components: readonly C[],
  asOf: Day,
  years: number,
): PlannedAppliance<C> {
  const { knowledge, caches } = context;
  const first = components[0]!;
  const placed = pricedPartsInPlace(context, components);
  const { partPrices, parts, hazards, principal, unitPrice, wholeAppliance } = placed;
  const planned = planAppliance(parts, wholeAppliance, caches, hazards.map(Boolean));
  const schedules = scheduleAppliance(planned, years);
  const { facts, unitFacts } = factsOf(knowledge, components, placed, {
    unit: planned.unit && { ...adviceOfPlannedUnit(planned.unit), unit: planned.unit.unit },
    parts: planned.parts,
  });
  const unitDueOn = planned.unit && dueDayAfterYears(inYears(planned.unit.dueInMonths), asOf);
  return {
    applianceId: first.applianceId,
    unit: planned.unit &&
      unitFacts && {
        ...planned.unit,
        component: first,
        applianceId: first.applianceId,
        price: unitPrice!,
        action: actionOfWholeUnit(unitFacts),
        dueOn: unitDueOn,
        calendarAgeYears: wholeAppliance!.calendarAgeYears,
        ...unitUrgency(planned.unit.dueInMonths, unitFacts, isDeficient(components)),
        schedule: schedules.unit!,
      },
    components: planned.parts.map((part, index) => ({
      ...part,
      ...partUrgency(part, hazards[index] !== null, isDeficient(components)),
      component: components[index]!,
      price: index === principal ? unitPrice! : partPrices[index]!,
      action: actionOfPart(part, facts[index]!, unitFacts),
      dueOn: part.policy === "with_unit" ? unitDueOn : dueDayAfterYears(part.dueInYears, asOf),
      schedule: schedules.parts[index]!,
    })),
  };
}

/**
 * Returns the actions of `planApplianceFromScores`, in a fraction of its time. That of an appliance whose parts are replaced
 * one by one is null unless one of them is a hazard to remove at once.
 */
export function plannedActionsOfParts<C extends Plannable>(
  context: PlanContext<C>,
  components: readonly C[],
): { appliance: Action | null; components: Action[] } {
  const placed = pricedPartsInPlace(context, components);
  const { parts, hazards, wholeAppliance } = placed;
  const advice = adviseOnAppliance(parts, wholeAppliance, context.caches, hazards.map(Boolean));
  const { facts, unitFacts } = factsOf(context.knowledge, components, placed, advice);
  const ofParts = advice.parts.map((part, index) => actionOfPart(part, facts[index]!, unitFacts));
  return {
    appliance: unitFacts
      ? actionOfWholeUnit(unitFacts)
      : (ofParts.find(({ name }) => name === "immediate_hazard") ?? null),
    components: ofParts,
  };
}

/** The fields of a listed component from which its action can be told without the others of its appliance. */
type ListedPart = Plannable & {
  /** When its appliance is due as a whole, as stored; null if that is not known, or if it is not replaced as a whole. */
  unitTiming: UnitTiming | null;
};

/** The data that an action needs beside the component's own row. */
type ListContext<C> = Pick<PlanContext<C>, "knowledge" | "caches"> & {
  /** Returns the price of a component itself, also of the principal part of a unit. */
  partPriceOf: (component: C, def: ComponentDef) => Price;
  /** Returns whether the component's appliance may be or contain a hazard that its authority wants removed at once. */
  mayHaveHazard: (component: C) => boolean;
};

/**
 * Returns the action of a component as `plannedActionsOfParts` does, from its own row; undefined where that takes its
 * whole appliance: one whose time is not stored, or that may be or contain a hazard to remove at once.
 */
export function plannedActionOfComponent<C extends ListedPart>(
  { knowledge, caches, partPriceOf, mayHaveHazard }: ListContext<C>,
  component: C,
  defined = scoredComponentOutlookWithDefinition(knowledge, component),
): Action | undefined {
  const { whole } = knowledge.type(component.typeId);
  const timing = whole && component.unitTiming;
  if ((whole && timing === null) || mayHaveHazard(component)) return undefined;
  // About half of all parts. Their own plans do not matter.
  if (timing === "now") return actionOfPartReplacedWithUnit({ timing, principal: null });
  const part = partInPlaceOf(knowledge, component, partPriceOf(component, defined.def), defined);
  const facts = partFacts(defined.def, component, null);
  if (timing && component.defId === whole?.principal?.defId)
    return actionOfPartReplacedWithUnit({ timing, principal: { ...facts, part } });
  const { policy } = newPartOf(part, caches);
  return actionOfPartReplacedAlone(part, policy, dueInYearsOfPart(part, policy), facts);
}

/** The state of an appliance that is stored with its scores. */
export type DueState = {
  /** The cost of what the plan says is due now: the unit, or the parts of a type that is not replaced as a whole. */
  dueCents: number;
  /** When it is due as a whole; null if it is not replaced as a whole, or lacks components of its type. */
  unitTiming: UnitTiming | null;
};

/** The stored state: with the last day for which it holds if its parts only age. */
export type StoredDue = DueState & { dueHoldsUntil: Day | null };

export const isSameDue = (one: DueState, other: DueState): boolean =>
  one.dueCents === other.dueCents && one.unitTiming === other.unitTiming;

/** Returns what is due of an appliance as `planApplianceFromScores` plans it, in a fraction of its time. */
export function dueStateOfAppliance<C extends DueComponent>(
  context: PlanContext<C>,
  components: readonly C[],
): DueState {
  const placed = pricedPartsInPlace(context, components);
  const { parts, hazards, wholeAppliance } = placed;
  const timing = wholeAppliance && unitTimingOf(parts, wholeAppliance, context.caches, hazards.map(Boolean));
  return dueStateByTiming(context, components, placed, timing);
}

/** Returns what is due of an appliance, and until when that holds if its parts only age. */
export function decideOnDueUntil<C extends DueComponent>(
  context: PlanContext<C>,
  components: readonly C[],
): StoredDue {
  const placed = pricedPartsInPlace(context, components);
  const { parts, hazards, wholeAppliance } = placed;
  const { timing, days } = unitTimingWithValidity(
    parts,
    wholeAppliance,
    context.caches,
    hazards.map(Boolean),
  );
  const { applianceId, scoredOn } = components[0]!;
  return {
    ...dueStateByTiming(context, components, placed, timing),
    dueHoldsUntil: days === 0 ? null : addDays(scoredOn, spreadDecisionValidityDays(days, applianceId)),
  };
}

/** `timing`: when an appliance is due that is replaced as a whole; null for another. */
function dueStateByTiming<C extends DueComponent>(
  { knowledge, caches }: PlanContext<C>,
  components: readonly C[],
  { partPrices, parts, hazards, unitPrice }: ReturnType<typeof pricedPartsInPlace>,
  timing: UnitTiming | null,
): DueState {
  if (timing) {
    const isComplete = components.length === knowledge.type(components[0]!.typeId).components.length;
    return {
      dueCents: timing === "now" ? unitPrice!.plannedCents : 0,
      unitTiming: isComplete ? timing : null,
    };
  }
  const dueCents = partPrices.reduce(
    (cents, { plannedCents }, index) =>
      cents + (hazards[index] || isPartDue(parts[index]!, caches) ? plannedCents : 0),
    0,
  );
  return { dueCents, unitTiming: null };
}

/** Returns the parts of an appliance in their place, and the appliance itself if it is replaced as a whole. */
function pricedPartsInPlace<C extends DueComponent>(
  { knowledge, pricing, hazardOf }: Pick<PlanContext<C>, "knowledge" | "pricing" | "hazardOf">,
  components: readonly C[],
) {
  const first = components[0]!;
  const { whole } = knowledge.type(first.typeId);
  const prices = pricing(first);
  const partPrices: Price[] = [];
  const parts: PartInPlace[] = [];
  const hazards: (ImmediateHazard | null)[] = [];
  let principal: number | null = null;
  for (let index = 0; index < components.length; index++) {
    const component = components[index]!;
    const price = prices.part(component);
    partPrices.push(price);
    parts.push(partInPlaceOf(knowledge, component, price));
    hazards.push(hazardOf(component));
    if (component.defId === whole?.principal?.defId) principal ??= index;
  }
  const unitPrice = whole && prices.unit(principal === null ? undefined : components[principal]);
  const wholeAppliance = unitPrice && {
    priceCents: unitPrice.plannedCents,
    failedPriceCents: unitPrice.failedCents,
    principal,
    lifeYears: whole.lifeYears,
    /** Computed where it is asked for: few units go by it. */
    get calendarAgeYears() {
      return Math.max(...components.map((component) => ageYears(component, component.scoredOn)));
    },
  };
  return { partPrices, parts, hazards, principal, unitPrice, wholeAppliance };
}

const inYears = (months: number | null) => (months === null ? null : months / 12);

function partFacts(def: ComponentDef, component: Plannable, hazard: PartFacts["hazard"]): PartFacts {
  return {
    name: def.name,
    riskTier: component.riskTier,
    confidence: component.confidence,
    hasDamage: def.damage !== null,
    isPastUnknown: () => hasUnknownAge(def, component),
    hazard,
  };
}

/** Returns what the actions follow from beside the plan. */
function factsOf<C extends Plannable>(
  knowledge: Knowledge,
  components: readonly C[],
  { hazards, wholeAppliance }: Pick<ReturnType<typeof pricedPartsInPlace>, "hazards" | "wholeAppliance">,
  { unit, parts }: ApplianceAdvice,
): { facts: PartFacts[]; unitFacts: UnitFacts | null } {
  const facts = components.map((component, index) =>
    partFacts(knowledge.component(component.defId), component, hazards[index]!),
  );
  const unitFacts = unit && wholeAppliance ? unitFactsOf(unit, parts, wholeAppliance, facts, hazards) : null;
  return { facts, unitFacts };
}

function unitFactsOf(
  { unit: unitInPlace, ...advice }: NonNullable<ApplianceAdvice["unit"]>,
  parts: readonly PlannedPart[],
  whole: WholeAppliance,
  facts: readonly PartFacts[],
  hazards: readonly (ImmediateHazard | null)[],
): UnitFacts {
  const { principal, lifeYears } = whole;
  return {
    ...advice,
    hazard: principal === null ? (hazards.find(Boolean) ?? null) : hazards[principal]!,
    isPastLife:
      principal === null
        ? lifeYears !== null && whole.calendarAgeYears >= lifeYears
        : unitInPlace.capMonths !== null && 12 * unitInPlace.ageYears >= unitInPlace.capMonths,
    urgentPart: urgentPartOf(parts, principal, facts),
    principal: principal === null ? null : { ...facts[principal]!, part: parts[principal]!.part },
  };
}

/** Returns the part for which a unit that is due now is an immediate repair: a safety part past its life before others. */
function urgentPartOf(
  parts: readonly PlannedPart[],
  principal: number | null,
  facts: readonly PartFacts[],
): UrgentPart | null {
  const pastLife = parts.findIndex(({ part }) => isSafetyPastLife(part));
  if (pastLife >= 0) return { name: facts[pastLife]!.name, kind: "safety_life_past" };
  if (principal === null || !isLikelyToFail(parts[principal]!.part)) return null;
  const { failureProbability } = parts[principal]!.part;
  return { name: facts[principal]!.name, kind: "likely_to_fail", failureProbability };
}

function unitUrgency(
  dueInMonths: number | null,
  { hazard, urgentPart }: UnitFacts,
  hasDeficiency: boolean,
): Urgency {
  if (dueInMonths !== 0) return { dueNow: null, comesFirst: false };
  const comesFirst = hazard !== null || urgentPart?.kind === "safety_life_past";
  return urgencyOf(comesFirst, hasDeficiency || urgentPart !== null);
}

function partUrgency({ policy, part }: PlannedPart, isHazard: boolean, hasDeficiency: boolean): Urgency {
  if (policy !== "replace_now") return { dueNow: null, comesFirst: false };
  return urgencyOf(isHazard || isSafetyPastLife(part), hasDeficiency || isLikelyToFail(part));
}

const urgencyOf = (comesFirst: boolean, isImmediate: boolean): Urgency => ({
  dueNow: comesFirst || isImmediate ? "immediate" : "short_term",
  comesFirst,
});

const isLikelyToFail = ({ failureProbability }: PartInPlace) => failureProbability >= IMMEDIATE_PROBABILITY;

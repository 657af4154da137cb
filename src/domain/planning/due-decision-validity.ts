import type { ScoreState } from "../scoring/scoring-types.ts";
import { DAYS_PER_YEAR, type Day, daysBetween } from "../time.ts";
import {
  isPartDue,
  isUnitRemovedForHazard,
  type MinorPart,
  minorPart,
  timingOfUnit,
  type UnitWithParts,
  unitInPlaceOf,
  type WholeAppliance,
} from "./appliance-plan.ts";
import { DueBounds, failureProbabilityIn, plannedMonth } from "./due-bounds.ts";
import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { type PartInPlace, PartSurvival, survivalProbabilityAt } from "./part-in-place.ts";
import type { PlanCaches } from "./plan.ts";
import type { UnitTiming } from "./unit-advice.ts";

/*
 * The days for which a decision on what is due holds while parts only age and their evidence fades. All that is due is decided
 * by sums that rise with the wear of parts, or that have bounds which do: so a decision holds that is the same for parts as
 * little worn, and as much worn, as they can be until then (docs/model/planning.md#due-now).
 */

/** The days that are tried, one after the other: most decisions hold for 60 or 240. */
const LONGER_HOLD = 240;
const USUAL_HOLD = 60;
const SHORTER_HOLDS = [20, 7, 2] as const;
const HOLDS = [LONGER_HOLD, USUAL_HOLD, ...SHORTER_HOLDS];
/** The share of a hold over which its end is spread, so that the decisions of one day do not end on one day. */
const SPREAD = 1 / 4;
/** By how much the logarithm of a hazard ratio changes in a day at most; faster evidence uses up more days of a hold. */
export const LARGEST_DAILY_CHANGE = 0.0015;
/** The share of a yearly cost by which a sum must differ from it: more than the sums of a decision are rounded by. */
const MARGIN = 1e-6;
/** The months at which sums are computed at most. */
const MOST_POINTS = 64;

/** All of a component's score that a decision on what is due depends on. */
type DueWear = Pick<ScoreState, "lifeFactor" | "effectiveAgeYears" | "rate" | "hazardRatio">;

/** The share of a day by which ages are rounded at most. */
const AGE_ROUNDING = 1e-6;

/**
 * Returns by how many days a component's new score shortens the time for which a decision holds: by as many as would have allowed
 * its change, less the days that have passed since the score before. Infinity if it has become younger or its life has changed.
 */
export function decisionValidityDaysLost(
  before: DueWear & { scoredOn: Day },
  after: DueWear & { scoredOn: Day },
): number {
  if (!hasSameLife(before, after) || after.effectiveAgeYears < before.effectiveAgeYears)
    return Number.POSITIVE_INFINITY;
  const ageDays = ((after.effectiveAgeYears - before.effectiveAgeYears) / after.rate) * DAYS_PER_YEAR;
  let days = Math.ceil(ageDays - AGE_ROUNDING);
  if (after.hazardRatio !== before.hazardRatio) {
    const change = Math.abs(Math.log(after.hazardRatio / before.hazardRatio));
    days = Math.max(days, Math.ceil(change / LARGEST_DAILY_CHANGE));
  }
  return days <= 0 ? 0 : Math.max(0, days - daysBetween(before.scoredOn, after.scoredOn));
}

/**
 * Returns whether two scores give a component the same life. They may not although the model is that of the latest finished
 * snapshot: another one, reverted since, may have scored a part of an interrupted snapshot.
 */
export const hasSameLife = (before: DueWear, after: DueWear) =>
  after.lifeFactor === before.lifeFactor && after.rate === before.rate;

/**
 * Returns when an appliance is due, null for one whose parts are replaced one by one, and for how many days from now that holds,
 * or without it which of its parts are due. 0 if that is not clear.
 */
export function unitTimingWithValidity(
  parts: readonly PartInPlace[],
  whole: WholeAppliance | null,
  caches: PlanCaches,
  mustGo: readonly boolean[],
): { timing: UnitTiming | null; days: number } {
  // A hazard that falls with age makes no sum rise.
  const hazardsRise = parts.every(({ shape }) => shape >= 1);
  if (!whole) {
    const days = hazardsRise ? HOLDS.find((some) => isSameOfParts(parts, some, caches, mustGo)) : 0;
    return { timing: null, days: days ?? 0 };
  }
  if (isUnitRemovedForHazard(whole, mustGo)) return { timing: "now", days: hazardsRise ? LONGER_HOLD : 0 };
  const unit = unitInPlaceOf(parts, whole, caches, mustGo);
  if (!hazardsRise) return { timing: timingOfUnit(unit), days: 0 };
  // Shown for so many days, it is shown for today, too, so that the months of today are followed for the other units alone.
  const longer = wornUnits(unit, LONGER_HOLD);
  if (staysDue(longer)) return { timing: "now", days: LONGER_HOLD };
  if (staysLater(longer)) return { timing: "later", days: LONGER_HOLD };
  const usual = wornUnits(unit, USUAL_HOLD);
  if (staysDue(usual)) return { timing: "now", days: USUAL_HOLD };
  if (staysLater(usual))
    return { timing: "later", days: staysLaterByBounds(longer) ? LONGER_HOLD : USUAL_HOLD };
  const shorter = SHORTER_HOLDS.map((days) => ({ days, units: wornUnits(unit, days) }));
  // Bounds take several times longer, and show nothing of a unit that is due.
  if (!startsCheap(usual)) {
    const due = shorter.find(({ units }) => staysDue(units));
    if (due) return { timing: "now", days: due.days };
  }
  if (staysLaterByBounds(usual))
    return { timing: "later", days: staysLaterByBounds(longer) ? LONGER_HOLD : USUAL_HOLD };
  const [first, ...rest] = shorter;
  const isLater = ({ units }: { units: WornUnits }) => staysLater(units) || staysLaterByBounds(units);
  if (isLater(first!)) return { timing: "later", days: first!.days };
  const timing = timingOfUnit(unit);
  return { timing, days: timing === "later" ? (rest.find(isLater)?.days ?? 0) : 0 };
}

/** Returns for how many of the days that a decision holds it is kept: all or fewer, by the appliance's ID. */
export function spreadDecisionValidityDays(days: number, applianceId: string): number {
  const choices = Math.floor(days * SPREAD) + 1;
  let hash = 0;
  for (let at = 0; at < applianceId.length; at++) hash = (31 * hash + applianceId.charCodeAt(at)) % 65_521;
  return days - (hash % choices);
}

/** The wear of an appliance's parts at one end of what a hold allows: by how much they age, and the factor on their hazards. */
type Wear = { years: number; hazardFactor: number };

const leastWear = (days: number): Wear => ({
  years: 0,
  hazardFactor: Math.exp(-days * LARGEST_DAILY_CHANGE),
});
const mostWear = (days: number): Wear => ({
  years: days / DAYS_PER_YEAR,
  hazardFactor: Math.exp(days * LARGEST_DAILY_CHANGE),
});

/** Fields by name: spreads take several times longer. */
const worn = (part: PartInPlace, { years, hazardFactor }: Wear): PartInPlace => ({
  shape: part.shape,
  scaleYears: part.scaleYears,
  plannedCents: part.plannedCents,
  failureCents: part.failureCents,
  fixedLifeYears: part.fixedLifeYears,
  safety: part.safety,
  ageYears: part.ageYears + years,
  labelAgeYears: part.labelAgeYears + years,
  hazardRatio: part.hazardRatio * hazardFactor,
  failureProbability: part.failureProbability,
});

function isSameOfParts(
  parts: readonly PartInPlace[],
  days: number,
  caches: PlanCaches,
  mustGo: readonly boolean[],
): boolean {
  const [least, most] = [leastWear(days), mostWear(days)];
  return parts.every(
    (part, index) =>
      mustGo[index] || isPartDue(worn(part, least), caches) === isPartDue(worn(part, most), caches),
  );
}

/** A unit that is as little worn, and one that is as much worn, as it can be until a hold ends. */
type WornUnits = { little: UnitWithParts; much: UnitWithParts };

const wornUnits = (unit: UnitWithParts, days: number): WornUnits => ({
  little: wornUnit(unit, leastWear(days)),
  much: wornUnit(unit, mostWear(days)),
});

/** The successors are those of the unit as it is: they depend on kinds alone. */
function wornUnit({ unit, minors, newUnit }: UnitWithParts, wear: Wear): UnitWithParts {
  const wornMinors = minors.map(({ part, newPart, mustGo }) => minorPart(worn(part, wear), newPart, mustGo));
  const { principalAge } = unit;
  return {
    unit: {
      priceCents: unit.priceCents,
      failedPriceCents: unit.failedPriceCents,
      principal: unit.principal,
      principalAge: principalAge && {
        ageYears: principalAge.ageYears + wear.years,
        hazardRatio: principalAge.hazardRatio * wear.hazardFactor,
      },
      ageYears: unit.ageYears + wear.years,
      capMonths: unit.capMonths,
      minors: wornMinors.map(({ part }) => part),
    },
    minors: wornMinors,
    newUnit,
  };
}

/**
 * Returns whether a unit stays due. It does where, in each number of months, its minor parts cost at least as much as the
 * successors' share, failures of the unit included. For the older the parts are, the sooner they end, and the more they and
 * those that follow them have cost by then; and the survival of the unit, which weighs the months, falls with them.
 */
function staysDue({ little, much }: WornUnits): boolean {
  const { unit, newUnit } = little;
  if (unit.capMonths !== null && 12 * unit.ageYears >= unit.capMonths) return true;
  const failedMore = unit.failedPriceCents - unit.priceCents;
  if (failedMore < 0) return false;
  const { yearlyCents } = newUnit.policy;
  const monthly = yearlyCents / 12;
  const margin = MARGIN * yearlyCents;
  const ends = little.minors.map((minor, index) => new EarliestCosts(minor, much.minors[index]!));
  let failures = 0;
  let before = 0;
  let fails = failureProbabilityIn(unit, 1);
  for (let points = 1, month = 1; month <= LOOKAHEAD_MONTHS; points++) {
    if (points > MOST_POINTS) return false;
    failures += (month - before) * fails * failedMore;
    let cents = failures - month * monthly;
    for (const end of ends) cents += end.costUntil(month);
    if (cents < margin) return false;
    fails = failureProbabilityIn(unit, month + 1);
    // All later months cost more than the successors.
    if (fails * failedMore >= monthly) return true;
    before = month;
    // Costs do not fall: it takes so many months until the successors' share can have used up what is over.
    month += 1 + Math.floor((cents - margin) / monthly);
  }
  return true;
}

/**
 * Returns whether a unit that is due later stays so: its first month costs less than the successors' share, and there is a limit
 * on its age, or the last month costs more.
 */
function staysLater(units: WornUnits): boolean {
  if (!startsCheap(units)) return false;
  const { unit } = units.little;
  return unit.capMonths === null ? endsCostly(units) : 12 * units.much.unit.ageYears < unit.capMonths;
}

/** Returns whether the first month costs less than the successors' share, so that the unit is not due by its costs. */
function startsCheap({ little, much }: WornUnits): boolean {
  const failedMore = little.unit.failedPriceCents - little.unit.priceCents;
  if (failedMore < 0) return false;
  const { yearlyCents } = little.newUnit.policy;
  let most = failureProbabilityIn(much.unit, 1) * failedMore;
  for (const [index, minor] of much.minors.entries()) most += mostInFirstMonth(little.minors[index]!, minor);
  return most <= yearlyCents / 12 - MARGIN * yearlyCents;
}

/** Returns whether the last month costs more than the successors' share. */
function endsCostly({ little: { unit, minors, newUnit } }: WornUnits): boolean {
  const { yearlyCents } = newUnit.policy;
  const enough = yearlyCents / 12 + MARGIN * yearlyCents;
  let least = failureProbabilityIn(unit, LOOKAHEAD_MONTHS) * (unit.failedPriceCents - unit.priceCents);
  for (const minor of minors) {
    if (least >= enough) break;
    least += leastInLastMonth(minor);
  }
  return least >= enough;
}

/** Does the same by the sums of all months, for units of which the first or the last month does not tell. */
function staysLaterByBounds({ little, much }: WornUnits): boolean {
  const { unit, newUnit } = little;
  if (unit.failedPriceCents < unit.priceCents) return false;
  if (unit.capMonths !== null && 12 * much.unit.ageYears >= unit.capMonths) return false;
  const margin = MARGIN * newUnit.policy.yearlyCents;
  const bounds = new DueBounds(little, much);
  return bounds.fallsBelow(margin) && (unit.capMonths !== null || bounds.endsAboveLeast(margin));
}

/** Returns the most that a part may cost in the next month. */
function mostInFirstMonth(little: MinorPart, much: MinorPart): number {
  const { part } = much;
  const { plannedCents, failureCents } = part;
  if (little.plan.dueInYears === 0) return plannedCents;
  return plannedMonth(much) > 1
    ? (1 - survivalProbabilityAt(part, 1)) * failureCents
    : Math.max(plannedCents, failureCents);
}

/** Returns an amount that the successors of a part cost in the last month at least: less the later the part ends. */
function leastInLastMonth(minor: MinorPart): number {
  const { part, newPart } = minor;
  const { leastCosts } = newPart;
  const due = plannedMonth(minor);
  const survival = new PartSurvival(part);
  let cents = 0;
  let before = 1;
  for (let until = 12; until <= LOOKAHEAD_MONTHS; until += 12) {
    const works = until >= due ? 0 : survival.at(until);
    cents += (before - works) * leastCosts[LOOKAHEAD_MONTHS - until]!;
    before = works;
  }
  return cents;
}

/** The least that a part in place and its successors have cost by a month: more the sooner it ends. */
class EarliestCosts {
  readonly #survival: PartSurvival;
  readonly #failureCents: number;
  readonly #plannedCents: number;
  readonly #costsUntil: Float64Array;
  readonly #lastMonth: number;
  readonly #firstPlannedMonth: number;
  readonly #months: number[] = [];
  readonly #ended: number[] = [];
  #works = 1;
  #ownCents = 0;

  constructor(little: MinorPart, much: MinorPart) {
    const { plannedCents, failureCents } = little.part;
    this.#survival = new PartSurvival(little.part);
    this.#failureCents = failureCents;
    this.#plannedCents = Math.min(failureCents, plannedCents);
    this.#costsUntil = little.newPart.costsUntil;
    this.#lastMonth = plannedMonth(little);
    this.#firstPlannedMonth = plannedMonth(much);
  }

  /** Returns the cost by the end of a month; each is later than the one before. */
  costUntil(month: number): number {
    if (this.#works > 0) this.#end(month);
    // Fields are read once: the loop takes half of the time of a decision otherwise.
    const months = this.#months;
    const ended = this.#ended;
    const costsUntil = this.#costsUntil;
    let cents = this.#ownCents;
    for (let at = 0; at < months.length; at++) cents += ended[at]! * costsUntil[month - months[at]!]!;
    return cents;
  }

  #end(month: number): void {
    const works = month >= this.#lastMonth ? 0 : this.#survival.at(month);
    const ended = this.#works - works;
    this.#works = works;
    this.#months.push(month);
    this.#ended.push(ended);
    // Before it may be replaced as planned, it can only have failed.
    this.#ownCents += ended * (month < this.#firstPlannedMonth ? this.#failureCents : this.#plannedCents);
  }
}

import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./new-part.ts";
import { fastPower, type PartInPlace } from "./part-in-place.ts";
import type { PartPlan } from "./plan.ts";
import { convolutionAt } from "./renewals.ts";
import { replacementMonth } from "./replacement-advice.ts";

/** The plan and the new part of each minor part, in their order. */
export type MinorParts = readonly { plan: Pick<PartPlan, "dueInYears">; newPart: KnownPart }[];

/**
 * The expected cost of the minor parts of a unit in place and their successors, month by month for as long as somebody asks.
 * One at a time: all share their arrays, since new ones for each unit take longer than everything else.
 */
export class RepairsByMonth {
  #month = 0;
  readonly #places: Place[] = [];

  constructor(parts: readonly PartInPlace[], minors: MinorParts) {
    for (let index = 0; index < parts.length; index++)
      this.#places.push(new Place(parts[index]!, minors[index]!, roomAt(index)));
  }

  /** Returns the cost of the next month, in cents. */
  next(): number {
    const month = ++this.#month;
    let cents = 0;
    for (const place of this.#places) cents += place.costIn(month);
    return cents;
  }

  /** Returns the cost of the last month, in cents, without those of the months before. */
  last(): number {
    let cents = 0;
    for (const place of this.#places) {
      for (let month = this.#month + 1; month < LOOKAHEAD_MONTHS; month++) place.end(month);
      cents += place.costIn(LOOKAHEAD_MONTHS);
    }
    return cents;
  }

  /** Returns an amount that the last month costs at least, by the months in which the parts in place end, a year at a time. */
  leastOfLast(): number {
    let cents = 0;
    for (const place of this.#places) cents += place.leastInLast(this.#month);
    return cents;
  }

  /** Returns the cost of the parts in place, without their successors, after the end of month `from` until that of `until`. */
  ofPartsInPlace(from: number, until: number): number {
    let cents = 0;
    for (const place of this.#places) cents += place.ownBetween(from, until, this.#month);
    return cents;
  }

  /**
   * Returns an amount that the repairs of a month cost at least, and that does not fall from month to month. It divides the time
   * before into `spans`: what has ended within one has successors of at least the age at its end.
   */
  least(month: number, spans: number): number {
    let cents = 0;
    for (const place of this.#places) cents += place.leastIn(month, spans, this.#month);
    return cents;
  }
}

type Room = { survival: Float64Array; ended: Float64Array };
const rooms: Room[] = [];

function roomAt(index: number): Room {
  let room = rooms[index];
  if (!room) {
    room = {
      survival: new Float64Array(LOOKAHEAD_MONTHS + 1),
      ended: new Float64Array(LOOKAHEAD_MONTHS + 1),
    };
    rooms[index] = room;
  }
  return room;
}

/** A minor part in place with its successors. */
class Place {
  readonly #part: PartInPlace;
  readonly #newPart: KnownPart;
  /** S¹ by month, as far as costs are known. */
  readonly #survival: Float64Array;
  /** The probability of ending in each month. */
  readonly #ended: Float64Array;
  /** The month in which it is replaced as planned, if it works until then. */
  readonly #due: number;
  readonly #isDueNow: boolean;
  readonly #age: number;
  readonly #passed: number;

  constructor(part: PartInPlace, { plan, newPart }: MinorParts[number], { survival, ended }: Room) {
    this.#part = part;
    this.#newPart = newPart;
    this.#survival = survival;
    this.#ended = ended;
    const due = plan.dueInYears === null ? Number.POSITIVE_INFINITY : replacementMonth(plan.dueInYears);
    this.#isDueNow = due === 0;
    this.#due = Math.max(due, 1);
    this.#age = part.ageYears / part.scaleYears;
    this.#passed = fastPower(this.#age, part.shape);
    survival[0] = 1;
  }

  /** Returns the cost of a month. Those before it must have ended. */
  costIn(month: number): number {
    const cents = this.end(month);
    return cents + convolutionAt(month, this.#ended, this.#newPart.costs, Math.min(month - 1, this.#due));
  }

  /** Ends a month, and returns what the part in place costs in it. The months must follow one another. */
  end(month: number): number {
    if (month > this.#due) return 0;
    const { failureCents, plannedCents } = this.#part;
    if (this.#isDueNow) {
      this.#ended[1] = 1;
      return plannedCents;
    }
    const works = this.#works(month);
    const fails = this.#survival[month - 1]! - works;
    this.#survival[month] = works;
    if (month < this.#due) {
      this.#ended[month] = fails;
      return fails * failureCents;
    }
    this.#ended[month] = fails + works;
    return fails * failureCents + works * plannedCents;
  }

  ownBetween(from: number, until: number, known: number): number {
    const due = this.#due;
    if (from >= due) return 0;
    const { failureCents, plannedCents } = this.#part;
    const works = this.#knownWorks(Math.min(until, due), known);
    const cents = (this.#knownWorks(from, known) - works) * failureCents;
    return due <= until ? cents + works * plannedCents : cents;
  }

  leastIn(month: number, spans: number, known: number): number {
    const { leastCosts } = this.#newPart;
    let cents = 0;
    let before = 0;
    for (let span = 1; span < spans; span++) {
      const until = Math.floor((month * span) / spans);
      if (until >= this.#due) return cents + (1 - before) * leastCosts[month - until]!;
      const ended = 1 - this.#knownWorks(until, known);
      cents += (ended - before) * leastCosts[month - until]!;
      before = ended;
    }
    return cents;
  }

  leastInLast(known: number): number {
    const { leastCostsByYear } = this.#newPart;
    let cents = 0;
    let before = 1;
    for (let until = 12; until <= LOOKAHEAD_MONTHS; until += 12) {
      const least = leastCostsByYear[(LOOKAHEAD_MONTHS - until) / 12]!;
      if (until >= this.#due) return cents + before * least;
      const works = this.#knownWorks(until, known);
      cents += (before - works) * least;
      before = works;
    }
    return cents;
  }

  #knownWorks(month: number, known: number): number {
    return month <= known ? this.#survival[month]! : this.#works(month);
  }

  /** Returns S¹ of a month: the probability that the part in place still works then. */
  #works(month: number): number {
    const { shape, scaleYears, hazardRatio } = this.#part;
    return Math.exp(-hazardRatio * (fastPower(this.#age + month / 12 / scaleYears, shape) - this.#passed));
  }
}

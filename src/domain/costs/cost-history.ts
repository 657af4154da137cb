import type { EventType } from "../service-event.ts";
import { addDays, addMonths, type Day } from "../time.ts";
import type { PartCosts } from "./component-costs.ts";
import type { CostLine } from "./cost-line.ts";
import type { OwnCosts } from "./stated-costs.ts";

/** Replacements of the last months count. */
const HISTORY_MONTHS = 60;
/** A Replacement this soon after an Emergency Repair of the same was not planned. */
const FAILURE_DAYS = 60;
/** A kind with fewer Replacements has no usable median. */
const LEAST_REPLACEMENTS = 5;
/** Bills below a dollar are work under warranty. */
const LEAST_CENTS = 100;

/** A Replacement or Emergency Repair, with the own costs of its component; without one it concerns the whole appliance. */
export type BilledEvent = OwnCosts & {
  applianceId: string;
  componentId: string | null;
  componentDefId: string | null;
  eventType: EventType;
  date: Day;
  costCents: number | null;
};

/** The bills of some replacements: their number, and their median in whole cents; null without any. */
type Bills = { count: number; medianCents: number | null };

/** The bills that the partner has paid to replace a component or, with `componentDefId` null, a whole appliance of a type. */
export type KindHistory = {
  typeId: string;
  componentDefId: string | null;
  planned: Bills;
  afterFailure: Bills;
  /** The costs in use for what was replaced: those of the middle one by planned cost. */
  used: PartCosts;
};

/** The first day whose events matter on a day: the Emergency Repairs before the first Replacement included. */
export const costHistoryStart = (today: Day): Day =>
  addDays(addMonths(today, -HISTORY_MONTHS), -FAILURE_DAYS);

/** Collects the bills of a partner's Replacements by kind. */
export class CostHistory {
  readonly #firstDay: Day;
  readonly #kinds = new Map<
    string,
    Pick<KindHistory, "typeId" | "componentDefId"> & {
      planned: number[];
      afterFailure: number[];
      used: PartCosts[];
    }
  >();
  #applianceId = "";
  /** The days of the present appliance's latest Emergency Repairs, by component; "" is the whole appliance. */
  readonly #failures = new Map<string, Day>();

  constructor(private readonly today: Day) {
    this.#firstDay = addMonths(today, -HISTORY_MONTHS);
  }

  /**
   * Adds an event of a part of a type. Those of an appliance follow each other, ordered by date, and an Emergency Repair before
   * others of its day. `costsInUse` returns what the part costs where it is.
   */
  add(typeId: string, event: BilledEvent, costsInUse: () => PartCosts): void {
    const { applianceId, componentId, componentDefId, date, costCents } = event;
    if (applianceId !== this.#applianceId) this.#failures.clear();
    this.#applianceId = applianceId;
    if (date > this.today) return;
    if (event.eventType === "Emergency Repair") {
      this.#failures.set(componentId ?? "", date);
      return;
    }
    if (event.eventType !== "Replacement" || costCents === null) return;
    if (costCents < LEAST_CENTS || date < this.#firstDay) return;
    const key = `${typeId} ${componentDefId ?? ""}`;
    const kind = this.#kinds.get(key) ?? { typeId, componentDefId, planned: [], afterFailure: [], used: [] };
    this.#kinds.set(key, kind);
    kind.used.push(costsInUse());
    (this.#hasFailed(componentId, date) ? kind.afterFailure : kind.planned).push(costCents);
  }

  /** Returns the kinds with enough Replacements, in the order of their names. */
  kinds(): KindHistory[] {
    return [...this.#kinds.entries()]
      .filter(([, { planned, afterFailure }]) => planned.length + afterFailure.length >= LEAST_REPLACEMENTS)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { planned, afterFailure, used, ...kind }]) => ({
        ...kind,
        planned: billsOf(planned),
        afterFailure: billsOf(afterFailure),
        used: used.toSorted((a, b) => a.plannedCents - b.plannedCents)[(used.length - 1) >> 1]!,
      }));
  }

  /** Returns whether an Emergency Repair of the component or the whole appliance came shortly before the day. */
  #hasFailed(componentId: string | null, date: Day): boolean {
    const since = addDays(date, -FAILURE_DAYS);
    const days =
      componentId === null
        ? [...this.#failures.values()]
        : [this.#failures.get(componentId), this.#failures.get("")];
    return days.some((day) => day !== undefined && day >= since);
  }
}

function billsOf(cents: number[]): Bills {
  const sorted = cents.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return { count: 0, medianCents: null };
  const even = sorted.length % 2 === 0;
  const medianCents = even ? Math.round((sorted[middle - 1]! + sorted[middle]!) / 2) : sorted[middle]!;
  return { count: sorted.length, medianCents };
}

/** Returns the line of a cost book that states what the history shows. */
export const costLineFromHistory = (
  { typeId, componentDefId, planned, afterFailure }: KindHistory,
  asOf: Day,
): CostLine => ({
  typeId,
  componentDefId,
  state: null,
  plannedCents: planned.medianCents,
  failedCents: afterFailure.medianCents,
  size: null,
  asOf,
  source: "history",
});

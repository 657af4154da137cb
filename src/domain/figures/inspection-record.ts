import type { InspectionRegime } from "../knowledge.ts";
import type { Condition, EventType } from "../service-event.ts";
import type { Day } from "../time.ts";

/**
 * Why a visit counts for an inspection: the event names it, its notes do, or its type suggests it. `none` without a visit.
 */
export type InspectionBasis = "named" | "notes" | "assumed" | "none";

/** A service event of an appliance or one of its components, as inspections read it. */
export type InspectionEvent = {
  id: string;
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
  /** The definition of its component; null for an event of the whole appliance. */
  componentDefId: string | null;
  /** The inspection types that it names; null or empty for none. */
  inspectionTypes: readonly string[] | null;
  /** The inspection types that its notes name, of any appliance type. */
  notedInspections: readonly string[];
};

/** The latest visit of an inspection, and the latest that passed. */
export type InspectionState = {
  last: { eventId: string; date: Day; hasPassed: boolean; basis: InspectionBasis } | null;
  lastPassed: Day | null;
  /** The first visit that failed since the latest that passed; null if the latest visit passed. */
  failedSince: Day | null;
  /** True from a failed visit until a later repair, replacement or passed inspection of the appliance. */
  isDeficient: boolean;
};

type At = Pick<InspectionEvent, "date" | "id">;

/** The state of an appliance's inspections after its events, added in any order. */
export class InspectionRecord {
  readonly #visits = new Map<
    string,
    { last: InspectionEvent; basis: InspectionBasis; lastPassed: At | null; failed: At[] }
  >();
  /** The latest event that ends a deficiency. */
  #settled: At | undefined;

  /** `regimes` are those of the appliance's type. */
  constructor(private readonly regimes: readonly InspectionRegime[]) {}

  add(event: InspectionEvent): void {
    const { regimes, basis } = inspectedBy(this.regimes, event);
    const hasPassed = event.conditionAfter !== "poor";
    for (const { inspectionType } of regimes) {
      let visits = this.#visits.get(inspectionType);
      if (!visits) {
        visits = { last: event, basis, lastPassed: null, failed: [] };
        this.#visits.set(inspectionType, visits);
      }
      if (!hasPassed) visits.failed.push(event);
      else if (!visits.lastPassed || isAfter(event, visits.lastPassed)) visits.lastPassed = event;
      if (isAfter(event, visits.last)) Object.assign(visits, { last: event, basis });
    }
    const settles = isRepairing(event.eventType) || (regimes.length > 0 && hasPassed);
    if (settles && (!this.#settled || isAfter(event, this.#settled)))
      this.#settled = { date: event.date, id: event.id };
  }

  stateOf({ inspectionType }: InspectionRegime): InspectionState {
    const visit = this.#visits.get(inspectionType);
    if (!visit) return { last: null, lastPassed: null, failedSince: null, isDeficient: false };
    const { last, basis, lastPassed, failed } = visit;
    const hasPassed = last.conditionAfter !== "poor";
    return {
      last: { eventId: last.id, date: last.date, hasPassed, basis },
      lastPassed: lastPassed?.date ?? null,
      failedSince: hasPassed ? null : firstDayAfter(failed, lastPassed),
      isDeficient: !hasPassed && !(this.#settled && isAfter(this.#settled, last)),
    };
  }
}

/**
 * Returns the inspections that an event was (docs/model/figures.md#compliance): those that it names; else those that its
 * notes name and its type can be; else, of those that its type can be, the ones with the shortest interval. An event of a
 * component is assumed to be one of that component's alone.
 */
function inspectedBy(
  regimes: readonly InspectionRegime[],
  { eventType, componentDefId, inspectionTypes, notedInspections }: InspectionEvent,
): { regimes: readonly InspectionRegime[]; basis: InspectionBasis } {
  if (inspectionTypes !== null && inspectionTypes.length > 0)
    return {
      regimes: regimes.filter(({ inspectionType }) => inspectionTypes.includes(inspectionType)),
      basis: "named",
    };
  const possible = regimes.filter(({ resetBy }) => resetBy.includes(eventType));
  const noted = possible.filter(({ inspectionType }) => notedInspections.includes(inspectionType));
  if (noted.length > 0) return { regimes: noted, basis: "notes" };
  const likely =
    componentDefId === null
      ? possible
      : possible.filter(({ componentIds }) => componentIds.has(componentDefId));
  const shortest = Math.min(...likely.map(({ intervalMonths }) => intervalMonths));
  return {
    regimes: likely.filter(({ intervalMonths }) => intervalMonths === shortest),
    basis: "assumed",
  };
}

const isRepairing = (type: EventType) => type === "Repair" || type === "Replacement";

/** Orders events of one day by the time at which they were logged. */
const isAfter = (one: At, other: At) =>
  one.date > other.date || (one.date === other.date && one.id > other.id);

/** Returns the day of the earliest of some visits after another; null without one. */
function firstDayAfter(visits: readonly At[], other: At | null): Day | null {
  let first: Day | null = null;
  for (const visit of visits)
    if ((!other || isAfter(visit, other)) && (first === null || visit.date < first)) first = visit.date;
  return first;
}

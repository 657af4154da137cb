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
  /** The inspection types that it names; null or empty for none. */
  inspectionTypes: readonly string[] | null;
  /** The inspection types that its notes name, of any appliance type. */
  notedInspections: readonly string[];
};

/** The latest visit of an inspection, and the latest that passed. */
export type InspectionState = {
  last: { eventId: string; date: Day; hasPassed: boolean; basis: InspectionBasis } | null;
  lastPassed: Day | null;
  /** True from a failed visit until a later repair, replacement or passed inspection of the appliance. */
  isDeficient: boolean;
};

type At = Pick<InspectionEvent, "date" | "id">;

/** The state of an appliance's inspections after its events, added in any order. */
export class InspectionRecord {
  readonly #visits = new Map<
    string,
    { last: InspectionEvent; basis: InspectionBasis; lastPassed: Day | null }
  >();
  /** The latest event that ends a deficiency. */
  #settled: At | undefined;

  /** `regimes` are those of the appliance's type. */
  constructor(private readonly regimes: readonly InspectionRegime[]) {}

  add(event: InspectionEvent): void {
    const { regimes, basis } = inspectedBy(this.regimes, event);
    const hasPassed = event.conditionAfter !== "poor";
    for (const { inspectionType } of regimes) {
      const known = this.#visits.get(inspectionType);
      const passedOn = hasPassed ? event.date : null;
      const lastPassed = laterDay(known?.lastPassed ?? null, passedOn);
      if (known && !isAfter(event, known.last)) known.lastPassed = lastPassed;
      else this.#visits.set(inspectionType, { last: event, basis, lastPassed });
    }
    const settles = isRepairing(event.eventType) || (regimes.length > 0 && hasPassed);
    if (settles && (!this.#settled || isAfter(event, this.#settled)))
      this.#settled = { date: event.date, id: event.id };
  }

  stateOf({ inspectionType }: InspectionRegime): InspectionState {
    const visit = this.#visits.get(inspectionType);
    if (!visit) return { last: null, lastPassed: null, isDeficient: false };
    const { last, basis, lastPassed } = visit;
    const hasPassed = last.conditionAfter !== "poor";
    return {
      last: { eventId: last.id, date: last.date, hasPassed, basis },
      lastPassed,
      isDeficient: !hasPassed && !(this.#settled && isAfter(this.#settled, last)),
    };
  }
}

/**
 * Returns the inspections that an event was (docs/model/figures.md#compliance): those that it names; else those that its
 * notes name and its type can be; else, of those that its type can be, the ones with the shortest interval.
 */
function inspectedBy(
  regimes: readonly InspectionRegime[],
  { eventType, inspectionTypes, notedInspections }: InspectionEvent,
): { regimes: readonly InspectionRegime[]; basis: InspectionBasis } {
  if (inspectionTypes !== null && inspectionTypes.length > 0)
    return {
      regimes: regimes.filter(({ inspectionType }) => inspectionTypes.includes(inspectionType)),
      basis: "named",
    };
  const possible = regimes.filter(({ resetBy }) => resetBy.includes(eventType));
  if (regimes.some(({ inspectionType }) => notedInspections.includes(inspectionType)))
    return {
      regimes: possible.filter(({ inspectionType }) => notedInspections.includes(inspectionType)),
      basis: "notes",
    };
  const shortest = Math.min(...possible.map(({ intervalMonths }) => intervalMonths));
  return {
    regimes: possible.filter(({ intervalMonths }) => intervalMonths === shortest),
    basis: "assumed",
  };
}

const isRepairing = (type: EventType) => type === "Repair" || type === "Replacement";

/** Orders events of one day by the time at which they were logged. */
const isAfter = (one: At, other: At) =>
  one.date > other.date || (one.date === other.date && one.id > other.id);

const laterDay = (one: Day | null, other: Day | null) =>
  one === null || (other !== null && other > one) ? other : one;

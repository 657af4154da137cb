import type { InspectionRegime } from "../domain-knowledge.ts";
import type { NotedInspections } from "../scoring/note-findings.ts";
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
  /** True if it states the condition on a scale of its own, as a survey of a building does. */
  isRated: boolean;
  /** The definition of its component; null for an event of the whole appliance. */
  componentDefId: string | null;
  /** The inspection types that it names; null or empty for none. */
  inspectionTypes: readonly string[] | null;
  /** The inspection types that its notes name, of any appliance type. */
  noted: NotedInspections;
};

/** The latest visit of an inspection, and the latest that passed. */
export type InspectionState = {
  last: { eventId: string; date: Day; hasPassed: boolean; basis: InspectionBasis } | null;
  /** The latest visit that inspected all that the inspection asks for; null without one. */
  lastWhole: Day | null;
  lastPassed: Day | null;
  /** The first visit that failed since the latest that passed; null if the latest visit passed. */
  failedSince: Day | null;
  /**
   * True from a visit that left the condition poor until a later repair or replacement of the appliance, or a later visit that
   * passes.
   */
  isDeficient: boolean;
};

type At = Pick<InspectionEvent, "date" | "id">;
type Visit = At & { hasPassed: boolean; basis: InspectionBasis };
type FailedVisit = At & { leftPoor: boolean };

/** The state of an appliance's inspections after its events, added in any order. */
export class InspectionRecord {
  readonly #visits = new Map<string, { last: Visit; lastPassed: At | null; failed: FailedVisit[] }>();
  /** The latest repair or replacement. */
  #settled: At | undefined;
  /** By definition: the inspections of a component that are none of its appliance. */
  readonly #components = new Map<string, { passed: At | null; failed: FailedVisit[] }>();
  /** The inspections that fail with one of a component. */
  readonly #ofComponents: readonly InspectionRegime[];

  /** `regimes` and `components` are those of the appliance's type. */
  constructor(
    private readonly regimes: readonly InspectionRegime[],
    private readonly components: readonly { id: string }[],
  ) {
    this.#ofComponents = shortest(regimes.filter(({ resetBy }) => resetBy.includes("Inspection")));
  }

  add(event: InspectionEvent): void {
    const { regimes, basis } = inspectedBy(this.regimes, event);
    const { id, date, componentDefId } = event;
    const failed = { id, date, leftPoor: event.conditionAfter === "poor" };
    const isOther = regimes.length === 0 && event.eventType === "Inspection" && !event.isRated;
    if (isOther && componentDefId !== null)
      this.#addComponent(componentDefId, failed, hasPassed(event, [], null));
    for (const { inspectionType } of regimes) {
      const visit = { id, date, basis, hasPassed: hasPassed(event, this.regimes, inspectionType) };
      let visits = this.#visits.get(inspectionType);
      if (!visits) {
        visits = { last: visit, lastPassed: null, failed: [] };
        this.#visits.set(inspectionType, visits);
      }
      if (!visit.hasPassed) visits.failed.push(failed);
      else if (!visits.lastPassed || isAfter(visit, visits.lastPassed)) visits.lastPassed = visit;
      if (isAfter(visit, visits.last)) visits.last = visit;
    }
    if (isRepairing(event.eventType) && (!this.#settled || isAfter(event, this.#settled)))
      this.#settled = { date, id };
  }

  #addComponent(defId: string, visit: FailedVisit, hasPassed: boolean): void {
    // An appliance of another type before has inspections of components that it no longer has.
    if (!this.components.some(({ id }) => id === defId)) return;
    let own = this.#components.get(defId);
    if (!own) {
      own = { passed: null, failed: [] };
      this.#components.set(defId, own);
    }
    if (!hasPassed) own.failed.push(visit);
    else if (!own.passed || isAfter(visit, own.passed)) own.passed = visit;
  }

  stateOf(regime: InspectionRegime): InspectionState {
    const visit = this.#visits.get(regime.inspectionType);
    const failedParts = this.#failedComponents(regime);
    const lastPart = failedParts.reduce<At | null>(
      (last, failed) => (!last || isAfter(failed, last) ? failed : last),
      null,
    );
    const isOfPart = lastPart !== null && (!visit || isAfter(lastPart, visit.last));
    const last = isOfPart ? lastPart : visit?.last;
    if (!last)
      return { last: null, lastWhole: null, lastPassed: null, failedSince: null, isDeficient: false };
    const hasPassed = !isOfPart && visit!.last.hasPassed;
    const lastPassed = visit?.lastPassed ?? null;
    const failed = hasPassed ? [] : [...(visit?.failed ?? []), ...failedParts];
    const failedSince = failed.filter((one) => !lastPassed || isAfter(one, lastPassed));
    return {
      last: { eventId: last.id, date: last.date, hasPassed, basis: isOfPart ? "assumed" : visit!.last.basis },
      lastWhole: visit?.last.date ?? null,
      lastPassed: lastPassed?.date ?? null,
      failedSince: firstDay(failedSince),
      isDeficient: failedSince.some((one) => one.leftPoor && !(this.#settled && isAfter(this.#settled, one))),
    };
  }

  /** Returns the inspections of components that failed since each passed: an inspection that they count for fails with them. */
  #failedComponents(regime: InspectionRegime): FailedVisit[] {
    if (!this.#ofComponents.includes(regime)) return [];
    return [...this.#components.values()].flatMap(({ passed, failed }) =>
      passed ? failed.filter((one) => isAfter(one, passed)) : failed,
    );
  }
}

/**
 * Returns the inspections that an event was (docs/model/figures.md#compliance): those that it names; else those that its
 * notes report and its type can be; else, of those that its type can be, the ones with the shortest interval, unless its notes
 * deny one of them or the visit, or it only rates the condition. An event of a component is assumed to be one of that component's
 * alone.
 */
function inspectedBy(
  regimes: readonly InspectionRegime[],
  {
    eventType,
    isRated,
    componentDefId,
    inspectionTypes,
    noted: { done, notDone, isOfNoVisit },
  }: InspectionEvent,
): { regimes: readonly InspectionRegime[]; basis: InspectionBasis } {
  if (inspectionTypes !== null && inspectionTypes.length > 0)
    return {
      regimes: regimes.filter(({ inspectionType }) => inspectionTypes.includes(inspectionType)),
      basis: "named",
    };
  const possible = regimes.filter(({ resetBy }) => resetBy.includes(eventType));
  const noted = possible.filter(({ inspectionType }) => done.includes(inspectionType));
  if (noted.length > 0) return { regimes: noted, basis: "notes" };
  const likely =
    componentDefId === null
      ? possible
      : possible.filter(({ componentIds }) => componentIds.has(componentDefId));
  const assumed = shortest(likely);
  const isDenied =
    isRated || isOfNoVisit || assumed.some(({ inspectionType }) => notDone.includes(inspectionType));
  return { regimes: isDenied ? [] : assumed, basis: "assumed" };
}

/**
 * Returns whether an inspection passed: by the condition that the event states, else unless its notes say that it failed. A
 * note that names no inspection of the appliance's type says so of all. The note of a replacement says what failed before.
 */
function hasPassed(
  { eventType, conditionAfter, noted: { done, failed } }: InspectionEvent,
  regimes: readonly InspectionRegime[],
  inspectionType: string | null,
): boolean {
  if (conditionAfter !== null) return conditionAfter !== "poor";
  if (eventType === "Replacement") return true;
  if (inspectionType !== null && regimes.some((regime) => done.includes(regime.inspectionType)))
    return !failed.includes(inspectionType);
  return failed.length === 0;
}

/** Returns the inspections with the shortest interval. */
function shortest(regimes: readonly InspectionRegime[]): readonly InspectionRegime[] {
  const months = Math.min(...regimes.map(({ intervalMonths }) => intervalMonths));
  return regimes.filter(({ intervalMonths }) => intervalMonths === months);
}

const isRepairing = (type: EventType) => type === "Repair" || type === "Replacement";

/** Orders events of one day by the time at which they were logged. */
const isAfter = (one: At, other: At) =>
  one.date > other.date || (one.date === other.date && one.id > other.id);

/** Returns the day of the earliest of some visits; null without one. */
const firstDay = (visits: readonly At[]): Day | null =>
  visits.reduce<Day | null>((first, { date }) => (first === null || date < first ? date : first), null);

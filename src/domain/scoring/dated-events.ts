import { forEachInSteps, mapInSteps, type Steps, sortInSteps } from "../steps/computation-steps.ts";
import { type Day, dayNumber } from "../time.ts";
import type { EventEvidence, Note } from "./scoring-types.ts";

/** A service event with its day number, and the number of events that differ from it only in the text of their notes. */
export type DatedEvent = EventEvidence & { day: number; times: number };

/** An appliance's events up to a day, oldest first. Events that are equal to scoring appear once. */
export type DatedEvents = {
  events: readonly DatedEvent[];
  replacements: readonly DatedEvent[];
  /** Preventive Maintenance, Cleaning and Filter Change. */
  restoring: readonly DatedEvent[];
};

/** Cached by the list of events, since one history is scored as of many days. */
const knownEvents = new WeakMap<readonly EventEvidence[], DatedEvents>();
const EMPTY: DatedEvents = { events: [], replacements: [], restoring: [] };

/** Returns the events up to the day number `today`. The result is cached: callers must not change `events` afterwards. */
export function datedEventsUpTo(events: readonly EventEvidence[], today: number): DatedEvents {
  if (events.length === 0) return EMPTY;
  let all = knownEvents.get(events);
  if (!all) {
    all = byKind(events.map(dated).sort(compare).reduce(appendEvent, []));
    knownEvents.set(events, all);
  }
  if (all.events.at(-1)!.day <= today) return all;
  return {
    events: upTo(all.events, today),
    replacements: upTo(all.replacements, today),
    restoring: upTo(all.restoring, today),
  };
}

/** Fills the cache of `datedEventsUpTo` in steps, for a long history. `datedEventsUpTo` itself sorts in half the time. */
export function* cacheDatedEventsInSteps(events: readonly EventEvidence[]): Steps<void> {
  const sorted = yield* sortInSteps(yield* mapInSteps(events, dated), compare);
  const distinct: DatedEvent[] = [];
  yield* forEachInSteps(sorted, (event) => void appendEvent(distinct, event));
  knownEvents.set(events, byKind(distinct));
}

const dated = ({
  componentId,
  eventType,
  date,
  conditionAfter,
  note,
  times = 1,
}: EventEvidence): DatedEvent => ({
  componentId,
  eventType,
  date,
  conditionAfter,
  note,
  times,
  day: dayNumber(date),
});

/** Appends the next event in order, or counts it where it differs from the last only in the text of its note. */
function appendEvent(distinct: DatedEvent[], event: DatedEvent): DatedEvent[] {
  const last = distinct.at(-1);
  if (!last || compareKinds(last, event) !== 0) distinct.push(event);
  else if (last.note?.key !== event.note?.key)
    distinct[distinct.length - 1] = { ...event, times: last.times + event.times };
  return distinct;
}

function byKind(events: readonly DatedEvent[]): DatedEvents {
  const replacements: DatedEvent[] = [];
  const restoring: DatedEvent[] = [];
  for (const event of events)
    if (event.eventType === "Replacement") replacements.push(event);
    else if (RESTORING.has(event.eventType)) restoring.push(event);
  return { events, replacements, restoring };
}

const RESTORING: ReadonlySet<EventEvidence["eventType"]> = new Set([
  "Preventive Maintenance",
  "Cleaning",
  "Filter Change",
]);

function upTo(events: readonly DatedEvent[], day: number): readonly DatedEvent[] {
  const end = indexOfFirstEventAfter(events, day);
  return end === events.length ? events : events.slice(0, end);
}

/** Returns the index of the first event after a day; the length of the list if there is none. */
export function indexOfFirstEventAfter(events: readonly DatedEvent[], day: number): number {
  let [start, beyond] = [0, events.length];
  while (start < beyond) {
    const middle = (start + beyond) >> 1;
    if (events[middle]!.day > day) beyond = middle;
    else start = middle + 1;
  }
  return start;
}

/** Returns whether the event is on the component or on its whole appliance. */
export function eventConcernsComponent(event: EventEvidence, componentId: string): boolean {
  return event.componentId === componentId || event.componentId === null;
}

/** Returns the day number of the component's last Replacement up to `today`; undefined without one. */
export function lastReplacementDay(
  component: { id: string; lastReplaced: Day | null },
  { replacements }: Pick<DatedEvents, "replacements">,
  today: number,
): number | undefined {
  const stored = component.lastReplaced === null ? undefined : dayNumber(component.lastReplaced);
  const known = stored !== undefined && stored <= today ? stored : undefined;
  const event = replacements.findLast((replacement) => eventConcernsComponent(replacement, component.id));
  if (!event) return known;
  return known === undefined ? event.day : Math.max(known, event.day);
}

/** A total order: products of ratios are equal to the last bit whatever the order of arrival. */
function compare(a: DatedEvent, b: DatedEvent): number {
  return compareKinds(a, b) || compareTextsNullFirst(a.note?.key ?? null, b.note?.key ?? null);
}

/** Compares what scoring reads, the text of notes aside. */
function compareKinds(a: DatedEvent, b: DatedEvent): number {
  return (
    a.day - b.day ||
    compareTextsNullFirst(a.eventType, b.eventType) ||
    compareTextsNullFirst(a.componentId, b.componentId) ||
    compareTextsNullFirst(a.conditionAfter, b.conditionAfter) ||
    (a.note === b.note || (hasNoFindings(a.note) && hasNoFindings(b.note))
      ? 0
      : compareTextsNullFirst(findingsText(a.note), findingsText(b.note)))
  );
}

/** Most notes have none, and comparing texts of them takes a third of the time of an appliance's events. */
const hasNoFindings = (note: Note | null) => note !== null && note.findings.length === 0;

const findingsText = (note: Note | null) =>
  note === null ? null : note.findings.map(({ groupId, share }) => `${groupId} ${share}`).join();

/** Compares by code units, null first. */
export function compareTextsNullFirst(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

import { forEachInSteps, mapInSteps, type Steps, sortInSteps } from "../steps.ts";
import { type Day, dayNumber } from "../time.ts";
import type { EventEvidence, Note } from "./types.ts";

/** A service event with its day as a number. `times`: so many that differ from it in the words of their notes alone. */
export type DatedEvent = EventEvidence & { day: number; times: number };

/** An appliance's events up to a day, oldest first. Of events that are equal in all that scoring reads, one. */
export type Timeline = {
  events: readonly DatedEvent[];
  replacements: readonly DatedEvent[];
  /** Preventive maintenance, cleanings and changes of filters. */
  restoring: readonly DatedEvent[];
};

/** By the events that were given: one history is scored as of many days. */
const inOrder = new WeakMap<readonly EventEvidence[], Timeline>();
const NOTHING: Timeline = { events: [], replacements: [], restoring: [] };

/** The events up to `today`. Those given are put in order once, so they are not to be changed afterwards. */
export function timeline(events: readonly EventEvidence[], today: number): Timeline {
  if (events.length === 0) return NOTHING;
  let all = inOrder.get(events);
  if (!all) {
    all = byKind(events.map(dated).sort(compare).reduce(withEvent, []));
    inOrder.set(events, all);
  }
  if (all.events.at(-1)!.day <= today) return all;
  return {
    events: upTo(all.events, today),
    replacements: upTo(all.replacements, today),
    restoring: upTo(all.restoring, today),
  };
}

/** Does ahead, in steps, what `timeline` does with so many events for the first time. */
export function* prepareTimelineInSteps(events: readonly EventEvidence[]): Steps<void> {
  const sorted = yield* sortInSteps(yield* mapInSteps(events, dated), compare);
  const once: DatedEvent[] = [];
  yield* forEachInSteps(sorted, (event) => void withEvent(once, event));
  inOrder.set(events, byKind(once));
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

/** Takes the next event in order. */
function withEvent(once: DatedEvent[], event: DatedEvent): DatedEvent[] {
  const last = once.at(-1);
  if (!last || compareKinds(last, event) !== 0) once.push(event);
  else if (last.note?.key !== event.note?.key)
    once[once.length - 1] = { ...event, times: last.times + event.times };
  return once;
}

function byKind(events: readonly DatedEvent[]): Timeline {
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
  const end = firstAfter(events, day);
  return end === events.length ? events : events.slice(0, end);
}

/** The place of the first event after a day. */
export function firstAfter(events: readonly DatedEvent[], day: number): number {
  let [start, beyond] = [0, events.length];
  while (start < beyond) {
    const middle = (start + beyond) >> 1;
    if (events[middle]!.day > day) beyond = middle;
    else start = middle + 1;
  }
  return start;
}

/** Whether the event speaks of the component: by name, or of its whole appliance. */
export function concerns(event: EventEvidence, componentId: string): boolean {
  return event.componentId === componentId || event.componentId === null;
}

/** The day of the component's last Replacement, or undefined. */
export function lastReplacement(
  component: { id: string; lastReplaced: Day | null },
  { replacements }: Pick<Timeline, "replacements">,
  today: number,
): number | undefined {
  const stored = component.lastReplaced === null ? undefined : dayNumber(component.lastReplaced);
  const known = stored !== undefined && stored <= today ? stored : undefined;
  const event = replacements.findLast((one) => concerns(one, component.id));
  if (!event) return known;
  return known === undefined ? event.day : Math.max(known, event.day);
}

/** A total order, so that products of ratios come out to the last bit whatever order events arrived in. */
function compare(a: DatedEvent, b: DatedEvent): number {
  return compareKinds(a, b) || compareText(a.note?.key ?? null, b.note?.key ?? null);
}

/** The order of what scoring reads, the words of notes aside. */
function compareKinds(a: DatedEvent, b: DatedEvent): number {
  return (
    a.day - b.day ||
    compareText(a.eventType, b.eventType) ||
    compareText(a.componentId, b.componentId) ||
    compareText(a.conditionAfter, b.conditionAfter) ||
    (a.note === b.note ? 0 : compareText(saidIn(a.note), saidIn(b.note)))
  );
}

const saidIn = (note: Note | null) =>
  note === null ? null : note.findings.map(({ groupId, share }) => `${groupId} ${share}`).join();

/** By code units, null first. */
export function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

import { type Day, dayNumber } from "../time.ts";
import type { EventEvidence } from "./types.ts";

/** A service event with its day as a number. */
export type DatedEvent = EventEvidence & { day: number };

/** By the events that were given: one history is scored as of many days. */
const inOrder = new WeakMap<readonly EventEvidence[], readonly DatedEvent[]>();

/**
 * The events up to `today`, oldest first. Of events that are equal in all that scoring reads, one. Those given are put in
 * order once, so they are not to be changed afterwards.
 */
export function timeline(events: readonly EventEvidence[], today: number): readonly DatedEvent[] {
  let ordered = inOrder.get(events);
  if (!ordered) {
    ordered = putInOrder(events);
    inOrder.set(events, ordered);
  }
  let [end, beyond] = [0, ordered.length];
  while (end < beyond) {
    const middle = (end + beyond) >> 1;
    if (ordered[middle]!.day > today) beyond = middle;
    else end = middle + 1;
  }
  return end === ordered.length ? ordered : ordered.slice(0, end);
}

function putInOrder(events: readonly EventEvidence[]): readonly DatedEvent[] {
  const dated = events.map(({ componentId, eventType, date, conditionAfter, note }) => ({
    componentId,
    eventType,
    date,
    conditionAfter,
    note,
    day: dayNumber(date),
  }));
  if (dated.length < 2) return dated;
  dated.sort(compare);
  return dated.filter((event, i) => i === 0 || compare(event, dated[i - 1]!) !== 0);
}

/** Whether the event speaks of the component: by name, or of its whole appliance. */
export function concerns(event: EventEvidence, componentId: string): boolean {
  return event.componentId === componentId || event.componentId === null;
}

/** The day of the component's last Replacement, or undefined. */
export function lastReplacement(
  component: { id: string; lastReplaced: Day | null },
  events: readonly DatedEvent[],
  today: number,
): number | undefined {
  const stored = component.lastReplaced === null ? undefined : dayNumber(component.lastReplaced);
  const known = stored !== undefined && stored <= today ? stored : undefined;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.eventType === "Replacement" && concerns(event, component.id))
      return known === undefined ? event.day : Math.max(known, event.day);
  }
  return known;
}

/** A total order, so that products of ratios come out to the last bit whatever order events arrived in. */
function compare(a: DatedEvent, b: DatedEvent): number {
  return (
    a.day - b.day ||
    compareText(a.eventType, b.eventType) ||
    compareText(a.componentId, b.componentId) ||
    compareText(a.conditionAfter, b.conditionAfter) ||
    compareText(a.note?.key ?? null, b.note?.key ?? null)
  );
}

/** By code units, null first. */
export function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

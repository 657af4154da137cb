import type { NewestDay } from "../../store/queries/service-events-queries.ts";
import type { Tx } from "../../store/store.ts";

/** The events that are read at once: they take a few milliseconds. */
const EVENTS_OF_PAGE = 2_000;

/**
 * Returns the newest day of each type of event on an appliance, by component; null for those of the whole. An appliance may
 * have hundreds of thousands of events.
 */
export async function loadNewestServiceEventDays(
  { serviceEvents, yieldToEventLoop }: Pick<Tx, "serviceEvents" | "yieldToEventLoop">,
  applianceId: string,
  eventsOfPage = EVENTS_OF_PAGE,
): Promise<NewestDay[]> {
  const newest = new Map<string, NewestDay>();
  for (let last = { date: "", id: "" }; ; await yieldToEventLoop()) {
    const page = await serviceEvents.daysAfter(applianceId, last, eventsOfPage);
    for (const { componentId, eventType, date, voidedAt } of page)
      if (voidedAt === null) newest.set(`${eventType} ${componentId}`, { componentId, eventType, date });
    if (page.length < eventsOfPage) return [...newest.values()];
    last = page.at(-1)!;
  }
}

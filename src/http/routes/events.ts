import type { Knowledge } from "../../domain/knowledge.ts";
import { parseInstant } from "../../domain/time.ts";
import type { HistoryEntry } from "../../store/queries/event-log.ts";
import { EventStream } from "../../usecases/event-stream.ts";
import {
  applianceEntryView,
  elevatedEntryView,
  eventPage,
  propertyEntryView,
  serviceEventEntryView,
} from "../../wire/events.ts";
import { sinceRequired, slicing } from "../../wire/parameters.ts";
import { type Operation, ok, partnerOperation, read } from "../operation.ts";
import { parseSlice, refused, sinceText } from "../query.ts";

export function eventOperations(knowledge: Knowledge): Operation[] {
  const stream = new EventStream();

  return [
    partnerOperation({
      id: "listEvents",
      method: "GET",
      path: "/v1/events",
      summary: "What happened since a moment, and every component that is CRITICAL or WARNING now",
      description:
        "History first, by its strictly increasing timestamps; then every component that is CRITICAL or WARNING now, whatever `since` says. Walk the pages until `events` is empty or `offset + limit >= total`, store the latest timestamp for the next call, and drop what was seen before by `data.id`. The history of a walk ends where it ended on its first page: what happens meanwhile comes with the next walk, so that none is passed over.",
      tag: "Events",
      parameters: [sinceRequired, ...slicing],
      replies: read("A page of the stream", eventPage),
      async handle({ now, partner, query, store }) {
        const slice = parseSlice(query);
        const text = sinceText(query);
        const since = text === undefined ? undefined : parseInstant(text);
        if (text === undefined || since === undefined)
          throw refused("since", "is required: an ISO 8601 instant, such as 2026-01-31T00:00:00Z");

        const page = await stream.page(store, partner.id, since, slice, now);
        const entries = [
          ...page.history.map(historyEntryView),
          ...page.elevated.map(({ component, at }) => elevatedEntryView(knowledge, component, at)),
        ];
        return ok(eventPage.of(entries, slice, page.total, partner.name, { since: text }));
      },
    }),
  ];
}

function historyEntryView({ kind, createdAt, property, appliance, serviceEvent }: HistoryEntry) {
  if (kind === "property") return propertyEntryView(createdAt, property!);
  if (kind === "appliance") return applianceEntryView(createdAt, appliance!);
  return serviceEventEntryView(createdAt, serviceEvent!);
}

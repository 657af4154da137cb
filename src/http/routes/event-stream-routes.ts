import { pagingParameters, requiredSinceParameter } from "../../api-schemas/api-parameter-schemas.ts";
import {
  eventPage,
  serializeApplianceEntry,
  serializeElevatedComponentEntry,
  serializePropertyEntry,
  serializeServiceEventEntry,
} from "../../api-schemas/event-stream-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { instantFromText } from "../../domain/time.ts";
import type { HistoryEntry } from "../../store/queries/event-log-queries.ts";
import type { EventStream } from "../../usecases/event-stream/load-event-stream.ts";
import { type Operation, okReply, partnerOperation, readOperationReplies } from "../http-operation.ts";
import {
  invalidHttpParameterFailure,
  parseRowRangeHttpQuery,
  sinceTextOfHttpQuery,
} from "../http-query-parameters.ts";

export function eventOperations(knowledge: Knowledge, stream: Pick<EventStream, "page">): Operation[] {
  return [
    partnerOperation({
      id: "listEvents",
      method: "GET",
      path: "/v1/events",
      summary: "List events since a point in time, and every CRITICAL or WARNING component",
      description:
        "History comes first, in strictly increasing order of timestamp, followed by every component that is currently CRITICAL or WARNING, regardless of `since`. Request pages until `events` is empty or `offset + limit >= total`, store the latest timestamp of the history for the next call, and discard entries whose `data.id` you have already processed. The first page fixes the end of the history: later events are returned by the next run, so that none is missed.",
      tag: "Events",
      parameters: [requiredSinceParameter, ...pagingParameters],
      replies: readOperationReplies("A page of the stream", eventPage),
      async handle({ now, partner, query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const text = sinceTextOfHttpQuery(query);
        const since = text === undefined ? undefined : instantFromText(text);
        if (text === undefined || since === undefined)
          throw invalidHttpParameterFailure(
            "since",
            "is required and must be an ISO 8601 timestamp, such as 2026-01-31T00:00:00Z",
          );

        const page = await stream.page(store, partner.id, since, slice, now);
        const entries = [
          ...page.history.map(serializeHistoryEntry),
          ...page.elevated.map(({ component, at }) =>
            serializeElevatedComponentEntry(knowledge, component, at),
          ),
        ];
        return okReply(eventPage.of(entries, slice, page.total, partner.name, { since: text }));
      },
    }),
  ];
}

function serializeHistoryEntry({ kind, createdAt, property, appliance, serviceEvent }: HistoryEntry) {
  if (kind === "property") return serializePropertyEntry(createdAt, property!);
  if (kind === "appliance") return serializeApplianceEntry(createdAt, appliance!);
  return serializeServiceEventEntry(createdAt, serviceEvent!);
}

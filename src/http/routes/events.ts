import type { Knowledge } from "../../domain/knowledge.ts";
import { usdOrNull } from "../../domain/money.ts";
import { parseInstant, toIso } from "../../domain/time.ts";
import type { HistoryEntry } from "../../store/event-log.ts";
import { type ElevatedEntry, EventStream } from "../../usecases/event-stream.ts";
import { type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice, refused, sinceText } from "../query.ts";
import { componentName } from "../views.ts";

export function eventOperations(knowledge: Knowledge): Operation[] {
  const stream = new EventStream();

  return [
    partnerOperation({
      id: "listEvents",
      method: "GET",
      path: "/v1/events",
      summary: "What happened since a moment, and every component that is CRITICAL or WARNING now",
      query: ["since", "limit", "offset"],
      async handle({ now, partner, query, store }) {
        const slice = parseSlice(query);
        const text = sinceText(query);
        const since = text === undefined ? undefined : parseInstant(text);
        if (text === undefined || since === undefined)
          throw refused("since", "is required: an ISO 8601 instant, such as 2026-01-31T00:00:00Z");

        const page = await stream.page(store, partner.id, since, slice, now);
        return ok({
          events: [...page.history.map(historyView), ...page.elevated.map(elevatedView)],
          since: text,
          ...envelope(slice, page.total, partner.name),
        });
      },
    }),
  ];

  function elevatedView({ component: row, at }: ElevatedEntry) {
    return {
      type: row.riskTier === "CRITICAL" ? "component.critical" : "component.warning",
      timestamp: toIso(at),
      data: {
        id: row.id,
        component_name: componentName(knowledge, row.defId),
        component_def_id: row.defId,
        appliance_id: row.applianceId,
        appliance_type: row.typeId,
        risk_score: row.riskScore / 100,
        risk_tier: row.riskTier,
        property_id: row.propertyId,
      },
    };
  }
}

function historyView(entry: HistoryEntry) {
  return { type: `${entry.kind}.created`, timestamp: toIso(entry.createdAt), data: historyData(entry) };
}

function historyData(entry: HistoryEntry) {
  if (entry.kind === "property") {
    const { id, name, address, city, state, source } = entry.property!;
    return { id, name, address, city, state, source };
  }
  if (entry.kind === "appliance") {
    const { id, typeId, propertyId } = entry.appliance!;
    return { id, type_id: typeId, property_id: propertyId };
  }
  const { id, eventType, applianceId, totalCostCents, date } = entry.serviceEvent!;
  return {
    id,
    event_type: eventType,
    appliance_id: applianceId,
    total_cost: usdOrNull(totalCostCents),
    date,
  };
}

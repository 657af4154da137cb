import type { Knowledge } from "../../domain/knowledge.ts";
import { usdFromCents } from "../../domain/money.ts";
import { parseInstant, toIso } from "../../domain/time.ts";
import type { ComponentRow } from "../../store/components.ts";
import type { HistoryEntry } from "../../store/event-log.ts";
import { type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice, refused } from "../query.ts";
import { componentName } from "../views.ts";

export function eventOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "listEvents",
      method: "GET",
      steady: true,
      path: "/v1/events",
      summary: "What happened since a moment, and every component that is CRITICAL or WARNING now",
      query: ["since", "limit", "offset"],
      async handle({ partner, query, store }) {
        const slice = parseSlice(query);
        const text = query.get("since");
        const since = text === undefined ? undefined : parseInstant(text);
        if (text === undefined || since === undefined)
          throw refused("since", "is required: an ISO 8601 instant, such as 2026-01-31T00:00:00Z");
        const { eventLog, components, snapshots, totals } = store.read;
        const { events: logged, critical, warning } = await totals.ofPartner(partner.id);
        const first = await eventLog.firstSince(partner.id, since);
        const inHistory = first === undefined ? 0 : logged - first + 1;
        const history =
          first === undefined || slice.offset >= inHistory
            ? []
            : await eventLog.page(
                partner.id,
                first + slice.offset,
                Math.min(slice.limit, inHistory - slice.offset),
              );
        const elevated = await components.elevatedByScoring(partner.id, {
          limit: slice.limit - history.length,
          offset: Math.max(0, slice.offset - inHistory),
        });
        const settledAt = await snapshots.settledAt();
        return ok({
          events: [...history.map(historyView), ...elevated.map((row) => elevatedView(row, settledAt))],
          since: text,
          ...envelope(slice, inHistory + critical + warning, partner.name),
        });
      },
    }),
  ];

  function elevatedView(row: ComponentRow, settledAt: number | null) {
    return {
      type: row.riskTier === "CRITICAL" ? "component.critical" : "component.warning",
      timestamp: toIso(row.rescoredAt ?? settledAt ?? row.createdAt),
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
    total_cost: totalCostCents === null ? null : usdFromCents(totalCostCents),
    date,
  };
}

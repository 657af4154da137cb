import type { Knowledge } from "../../domain/knowledge.ts";
import { usdOrNull } from "../../domain/money.ts";
import { type Instant, parseInstant, toIso } from "../../domain/time.ts";
import type { ScoringPlace } from "../../store/component-lists.ts";
import type { ComponentRow } from "../../store/component-rows.ts";
import type { HistoryEntry } from "../../store/event-log.ts";
import type { Store } from "../../store/store.ts";
import { EventWalks, type Walk } from "../../usecases/event-walks.ts";
import { type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice, refused, sinceText } from "../query.ts";
import { componentName } from "../views.ts";

export function eventOperations(knowledge: Knowledge): Operation[] {
  const walks = new EventWalks();

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

        const { eventLog, snapshots } = store.read;
        const client = `${partner.id} ${since} ${slice.limit}`;
        const known = slice.offset === 0 ? undefined : walks.at(client, slice.offset, now);
        const walk = known?.walk ?? (await newWalk(store, partner.id));

        const first = await eventLog.firstSince(partner.id, since);
        const inHistory = first === undefined ? 0 : Math.max(0, walk.entries - first + 1);
        const logged = Math.min(slice.limit, inHistory - slice.offset);
        const history = logged > 0 ? await eventLog.page(partner.id, first! + slice.offset, logged) : [];

        const room = slice.limit - history.length;
        const after = known && (await keepsOrder(store, partner.id, walk)) ? known.page.after : undefined;
        // One more than there is room for tells whether the walk ends here.
        const found = await elevatedFrom(
          store,
          partner.id,
          after ?? { offset: known ? 0 : Math.max(0, slice.offset - inHistory) },
          room > 0 ? room + 1 : 0,
        );
        const elevated = found.slice(0, room);
        const end = slice.offset + slice.limit;
        const standing = inHistory + (await countElevated(store, partner.id));
        const shown = slice.offset + history.length + elevated.length;
        const total =
          found.length > room ? Math.max(standing, end + 1) : room > 0 && known ? shown : standing;

        walk.pages = [
          { offset: slice.offset, after },
          { offset: end, after: elevated.at(-1) ?? after },
        ];
        if (slice.offset === 0 && total > end) walks.begin(client, walk, now);
        const settledAt = await snapshots.settledAt();
        const latest = slice.offset === 0 || known ? walk.shownUntil : Number.POSITIVE_INFINITY;
        return ok({
          events: [
            ...history.map(historyView),
            ...elevated.map((row) => elevatedView(row, settledAt, latest)),
          ],
          since: text,
          ...envelope(slice, total, partner.name),
        });
      },
    }),
  ];

  /** `latest`: a client stores the latest timestamp that it saw, and must not pass over history not yet shown. */
  function elevatedView(row: ComponentRow, settledAt: Instant | null, latest: Instant) {
    return {
      type: row.riskTier === "CRITICAL" ? "component.critical" : "component.warning",
      timestamp: toIso(Math.min(row.rescoredAt ?? settledAt ?? row.createdAt, latest)),
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

/** The last moment is read before the history is counted: what is logged in between has a later one. */
async function newWalk({ read }: Store, partnerId: string): Promise<Walk> {
  const shownUntil = await read.clock.lastInstant();
  const { events } = await read.totals.ofPartner(partnerId);
  const settledAt = await read.snapshots.settledAt();
  const settled = await read.components.countSettledElevated(partnerId);
  return { entries: events, shownUntil, order: { settledAt, settled }, pages: [] };
}

/** A snapshot puts components back among those in the order of their creation: the walk passes them all again. */
async function keepsOrder({ read }: Store, partnerId: string, walk: Walk): Promise<boolean> {
  const before = walk.order;
  const settledAt = await read.snapshots.settledAt();
  const settled = await read.components.countSettledElevated(partnerId);
  walk.order = { settledAt, settled };
  return settledAt === before.settledAt && settled <= before.settled;
}

async function elevatedFrom(
  { read: { components } }: Store,
  partnerId: string,
  from: ScoringPlace | { offset: number },
  limit: number,
): Promise<ComponentRow[]> {
  return "offset" in from
    ? await components.elevatedByScoring(partnerId, { limit, offset: from.offset })
    : await components.elevatedAfter(partnerId, from, limit);
}

async function countElevated({ read }: Store, partnerId: string): Promise<number> {
  const { critical, warning } = await read.totals.ofPartner(partnerId);
  return critical + warning;
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

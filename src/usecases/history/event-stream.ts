import type { PlacedComponent } from "../../domain/component.ts";
import type { Instant } from "../../domain/time.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import type { ScoringPlace } from "../../store/queries/component-lists.ts";
import type { HistoryEntry } from "../../store/queries/event-log.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { EventWalks, type StandingWalk, StoredWalks, type Walk } from "./event-feed-cursors.ts";

/** A component that is CRITICAL or WARNING, with the moment that the stream gives it. */
export type ElevatedEntry = { component: PlacedComponent; at: Instant };

/** A page of the stream: first the rest of the history, then components. `total` counts the whole stream. */
export type EventPage = { history: HistoryEntry[]; elevated: ElevatedEntry[]; total: number };

type World = Pick<Store, "read" | "write" | "inReadSnapshot" | "isShared">;

/**
 * What happened to a partner since a moment, in order, and behind it every component that is elevated now, in the order
 * of last scoring. Who reads page after page gets each entry once, whatever is written meanwhile.
 */
export class EventStream {
  readonly #walks = new EventWalks();

  async page(
    store: World,
    partnerId: string,
    since: Instant,
    slice: Slice,
    now: Instant,
  ): Promise<EventPage> {
    const walks = store.isShared ? new StoredWalks(store) : this.#walks;
    const walker = { partnerId, client: `${since} ${slice.limit}` };
    const known = slice.offset === 0 ? undefined : await walks.at(walker, slice.offset, now);
    const { walk, page } = await readConsistently(store, partnerId, (read) =>
      readPage(read, partnerId, since, slice, known),
    );
    if (known) {
      Object.assign(known.walk, walk);
      await walks.moved(known.walk, now);
    } else if (slice.offset === 0 && page.total > slice.limit) await walks.begin(walker, walk, now);
    return page;
  }
}

/** A page, and the walk as it stands behind it. */
async function readPage(
  read: Stores,
  partnerId: string,
  since: Instant,
  slice: Slice,
  known: StandingWalk | undefined,
): Promise<{ walk: Walk; page: EventPage }> {
  const { entries, shownUntil } = known?.walk ?? (await newWalk(read, partnerId));
  const order = await orderOf(read, partnerId);

  const first = await read.eventLog.firstSince(partnerId, since);
  const inHistory = first === undefined ? 0 : Math.max(0, entries - first + 1);
  const logged = Math.min(slice.limit, inHistory - slice.offset);
  const history = logged > 0 ? await read.eventLog.page(partnerId, first! + slice.offset, logged) : [];

  const room = slice.limit - history.length;
  const after = known && keepsOrder(known.walk.order, order) ? known.page.after : undefined;
  // One more than there is room for tells whether the walk ends here.
  const found = await elevatedFrom(
    read,
    partnerId,
    after ?? { offset: known ? 0 : Math.max(0, slice.offset - inHistory) },
    room > 0 ? room + 1 : 0,
  );
  const elevated = found.slice(0, room);
  const end = slice.offset + slice.limit;
  const standing = inHistory + (await countElevated(read, partnerId));
  const shown = slice.offset + history.length + elevated.length;
  const total = found.length > room ? Math.max(standing, end + 1) : room > 0 && known ? shown : standing;

  const pages = [
    { offset: slice.offset, after },
    { offset: end, after: placeOf(elevated.at(-1)) ?? after },
  ];
  // A client stores the latest timestamp that it saw, and must not pass over history not yet shown.
  const latest = slice.offset === 0 || known ? shownUntil : Number.POSITIVE_INFINITY;
  const entryOf = (component: PlacedComponent): ElevatedEntry => ({
    component,
    at: Math.min(component.rescoredAt ?? order.settledAt ?? component.createdAt, latest),
  });
  const page = { history, elevated: elevated.map(entryOf), total };
  return { walk: { entries, shownUntil, order, pages }, page };
}

const placeOf = (component: PlacedComponent | undefined): ScoringPlace | undefined =>
  component && { rescoredAt: component.rescoredAt, seq: component.seq };

type Beginning = Pick<Walk, "entries" | "shownUntil">;

/** The last moment is read before the history is counted: what is logged in between has a later one. */
async function newWalk({ clock, totals }: Stores, partnerId: string): Promise<Beginning> {
  const shownUntil = await clock.lastInstantOf(partnerId);
  const { events } = await totals.ofPartner(partnerId);
  return { entries: events, shownUntil };
}

async function orderOf({ snapshots, components }: Stores, partnerId: string): Promise<Walk["order"]> {
  const settledAt = await snapshots.settledAt();
  return { settledAt, settled: await components.countSettledElevated(partnerId) };
}

/** A snapshot puts components back among those in the order of their creation: the walk passes them all again. */
const keepsOrder = (before: Walk["order"], now: Walk["order"]) =>
  now.settledAt === before.settledAt && now.settled <= before.settled;

async function elevatedFrom(
  { components }: Stores,
  partnerId: string,
  from: ScoringPlace | { offset: number },
  limit: number,
): Promise<PlacedComponent[]> {
  return "offset" in from
    ? await components.elevatedByScoring(partnerId, { limit, offset: from.offset })
    : await components.elevatedAfter(partnerId, from, limit);
}

async function countElevated({ totals }: Stores, partnerId: string): Promise<number> {
  const { critical, warning } = await totals.ofPartner(partnerId);
  return critical + warning;
}

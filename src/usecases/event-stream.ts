import type { PlacedComponent } from "../domain/component.ts";
import type { Instant } from "../domain/time.ts";
import type { ScoringPlace } from "../store/queries/component-lists.ts";
import type { HistoryEntry } from "../store/queries/event-log.ts";
import type { Slice } from "../store/slice.ts";
import type { Store } from "../store/store.ts";
import { EventWalks, StoredWalks, type Walk } from "./event-walks.ts";

/** A component that is CRITICAL or WARNING, with the moment that the stream gives it. */
export type ElevatedEntry = { component: PlacedComponent; at: Instant };

/** A page of the stream: first the rest of the history, then components. `total` counts the whole stream. */
export type EventPage = { history: HistoryEntry[]; elevated: ElevatedEntry[]; total: number };

type Reading = Pick<Store, "read">;

/**
 * What happened to a partner since a moment, in order, and behind it every component that is elevated now, in the order
 * of last scoring. Who reads page after page gets each entry once, whatever is written meanwhile.
 */
export class EventStream {
  readonly #walks = new EventWalks();

  async page(
    store: Pick<Store, "read" | "write" | "isShared">,
    partnerId: string,
    since: Instant,
    slice: Slice,
    now: Instant,
  ): Promise<EventPage> {
    const { eventLog, snapshots } = store.read;
    const walks = store.isShared ? new StoredWalks(store) : this.#walks;
    const walker = { partnerId, client: `${since} ${slice.limit}` };
    const known = slice.offset === 0 ? undefined : await walks.at(walker, slice.offset, now);
    const walk = known?.walk ?? (await newWalk(store, partnerId));

    const first = await eventLog.firstSince(partnerId, since);
    const inHistory = first === undefined ? 0 : Math.max(0, walk.entries - first + 1);
    const logged = Math.min(slice.limit, inHistory - slice.offset);
    const history = logged > 0 ? await eventLog.page(partnerId, first! + slice.offset, logged) : [];

    const room = slice.limit - history.length;
    const after = known && (await keepsOrder(store, partnerId, walk)) ? known.page.after : undefined;
    // One more than there is room for tells whether the walk ends here.
    const found = await elevatedFrom(
      store,
      partnerId,
      after ?? { offset: known ? 0 : Math.max(0, slice.offset - inHistory) },
      room > 0 ? room + 1 : 0,
    );
    const elevated = found.slice(0, room);
    const end = slice.offset + slice.limit;
    const standing = inHistory + (await countElevated(store, partnerId));
    const shown = slice.offset + history.length + elevated.length;
    const total = found.length > room ? Math.max(standing, end + 1) : room > 0 && known ? shown : standing;

    walk.pages = [
      { offset: slice.offset, after },
      { offset: end, after: placeOf(elevated.at(-1)) ?? after },
    ];
    if (known) await walks.moved(walk, now);
    else if (slice.offset === 0 && total > end) await walks.begin(walker, walk, now);
    const settledAt = await snapshots.settledAt();
    // A client stores the latest timestamp that it saw, and must not pass over history not yet shown.
    const latest = slice.offset === 0 || known ? walk.shownUntil : Number.POSITIVE_INFINITY;
    const entryOf = (component: PlacedComponent): ElevatedEntry => ({
      component,
      at: Math.min(component.rescoredAt ?? settledAt ?? component.createdAt, latest),
    });
    return { history, elevated: elevated.map(entryOf), total };
  }
}

const placeOf = (component: PlacedComponent | undefined): ScoringPlace | undefined =>
  component && { rescoredAt: component.rescoredAt, seq: component.seq };

/** The last moment is read before the history is counted: what is logged in between has a later one. */
async function newWalk({ read }: Reading, partnerId: string): Promise<Walk> {
  const shownUntil = await read.clock.lastInstantOf(partnerId);
  const { events } = await read.totals.ofPartner(partnerId);
  const settledAt = await read.snapshots.settledAt();
  const settled = await read.components.countSettledElevated(partnerId);
  return { entries: events, shownUntil, order: { settledAt, settled }, pages: [] };
}

/** A snapshot puts components back among those in the order of their creation: the walk passes them all again. */
async function keepsOrder({ read }: Reading, partnerId: string, walk: Walk): Promise<boolean> {
  const before = walk.order;
  const settledAt = await read.snapshots.settledAt();
  const settled = await read.components.countSettledElevated(partnerId);
  walk.order = { settledAt, settled };
  return settledAt === before.settledAt && settled <= before.settled;
}

async function elevatedFrom(
  { read: { components } }: Reading,
  partnerId: string,
  from: ScoringPlace | { offset: number },
  limit: number,
): Promise<PlacedComponent[]> {
  return "offset" in from
    ? await components.elevatedByScoring(partnerId, { limit, offset: from.offset })
    : await components.elevatedAfter(partnerId, from, limit);
}

async function countElevated({ read }: Reading, partnerId: string): Promise<number> {
  const { critical, warning } = await read.totals.ofPartner(partnerId);
  return critical + warning;
}

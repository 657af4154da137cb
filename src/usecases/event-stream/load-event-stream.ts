import type { PlacedComponent } from "../../domain/component.ts";
import type { Instant } from "../../domain/time.ts";
import type { ScoringPlace } from "../../store/queries/component-lists-queries.ts";
import type { HistoryEntry } from "../../store/queries/event-log-queries.ts";
import type { Store } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import {
  type FeedCursor,
  type FoundCursor,
  MemoryFeedCursors,
  StoredFeedCursors,
} from "./find-event-feed-cursor.ts";

/** A component that is CRITICAL or WARNING, with its timestamp in the stream. */
type ElevatedEntry = { component: PlacedComponent; at: Instant };

/** A page of the stream: the rest of the history, then components. `total` counts the whole stream. */
type EventPage = { history: HistoryEntry[]; elevated: ElevatedEntry[]; total: number };

type EventStreamDeps = Pick<Store, "read" | "write" | "inReadSnapshot" | "isShared">;

/**
 * The history of a partner since an instant, in order, followed by all components above GOOD in the order of their
 * last scoring. A client that reads page after page receives each entry once, whatever is written meanwhile.
 */
export class EventStream {
  readonly #cursors = new MemoryFeedCursors();

  /** Restores the positions of clients, so that they continue after a restart. Several servers share them anyway. */
  async restore(store: Pick<Store, "read" | "isShared">, now: Instant): Promise<void> {
    if (!store.isShared) await this.#cursors.restore(store, now);
  }

  /** Stores the positions of clients at the end of the process. */
  async keep(store: Pick<Store, "write" | "isShared">, now: Instant): Promise<void> {
    if (!store.isShared) await this.#cursors.keep(store, now);
  }

  async page(
    store: EventStreamDeps,
    partnerId: string,
    since: Instant,
    slice: StoredRowRange,
    now: Instant,
  ): Promise<EventPage> {
    const cursors = store.isShared ? new StoredFeedCursors(store) : this.#cursors;
    const client = { partnerId, client: `${since} ${slice.limit}` };
    const known = slice.offset === 0 ? undefined : await cursors.find(client, slice.offset, now);
    const { cursor, page } = await readStoreConsistently(store, partnerId, (read) =>
      readPage(read, partnerId, since, slice, known),
    );
    if (known) {
      const isLastPage = slice.offset + slice.limit >= page.total;
      await cursors.advance(client, known.cursor, cursor, now, isLastPage);
    } else if (slice.offset === 0 && page.total > slice.limit) await cursors.begin(client, cursor, now);
    return page;
  }
}

/** Returns a page, and the cursor after it. */
async function readPage(
  read: Stores,
  partnerId: string,
  since: Instant,
  slice: StoredRowRange,
  known: FoundCursor | undefined,
): Promise<{ cursor: FeedCursor; page: EventPage }> {
  const { entries, shownUntil } = known?.cursor ?? (await newCursor(read, partnerId));
  const order = await orderOf(read, partnerId);

  const first = await read.eventLog.firstSince(partnerId, since);
  const inHistory = first === undefined ? 0 : Math.max(0, entries - first + 1);
  const logged = Math.min(slice.limit, inHistory - slice.offset);
  const history = logged > 0 ? await read.eventLog.page(partnerId, first! + slice.offset, logged) : [];

  const room = slice.limit - history.length;
  const after = known && keepsOrder(known.cursor.order, order) ? known.page.after : undefined;
  // One row more than fits shows whether this is the last page.
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
  // A client stores the latest timestamp that it has seen, and must not skip history that it has not seen yet.
  const latest = slice.offset === 0 || known ? shownUntil : Number.POSITIVE_INFINITY;
  const entryOf = (component: PlacedComponent): ElevatedEntry => ({
    component,
    at: Math.min(component.rescoredAt ?? order.latestSnapshotAt ?? component.createdAt, latest),
  });
  const page = { history, elevated: elevated.map(entryOf), total };
  return { cursor: { entries, shownUntil, order, pages }, page };
}

const placeOf = (component: PlacedComponent | undefined): ScoringPlace | undefined =>
  component && { rescoredAt: component.rescoredAt, seq: component.seq };

type Beginning = Pick<FeedCursor, "entries" | "shownUntil">;

/** The last instant is read before the history is counted: entries logged in between have a later one. */
async function newCursor({ clock, totals }: Stores, partnerId: string): Promise<Beginning> {
  const shownUntil = await clock.lastInstantOf(partnerId);
  const { events } = await totals.ofPartner(partnerId);
  return { entries: events, shownUntil };
}

async function orderOf({ snapshots, components }: Stores, partnerId: string): Promise<FeedCursor["order"]> {
  const latestSnapshotAt = await snapshots.latestSnapshotAt();
  return { latestSnapshotAt, settled: await components.countSettledElevated(partnerId) };
}

/**
 * Returns whether the order is unchanged. After a snapshot the components are in the order of creation again, and
 * the client receives them all again.
 */
const keepsOrder = (before: FeedCursor["order"], now: FeedCursor["order"]) =>
  now.latestSnapshotAt === before.latestSnapshotAt && now.settled <= before.settled;

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

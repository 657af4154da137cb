import type { Instant } from "../../domain/time.ts";
import type { ScoringPlace } from "../../store/queries/component-lists-queries.ts";
import type { StoredCursor } from "../../store/queries/event-feed-cursors-queries.ts";
import type { Store } from "../../store/store.ts";

/** The position of a client that pages through the event stream, with the state of the stream when it began. */
export type FeedCursor = {
  /** The number of history entries at the beginning: later ones are left to the client's next pass. */
  entries: number;
  /** The last instant assigned to a row before the beginning. */
  shownUntil: Instant;
  /** The snapshot that orders the components, and how many of them it still orders. */
  order: { latestSnapshotAt: Instant | null; settled: number };
  /** The latest page and the one after it, which is requested next unless a response was lost. */
  pages: CursorPage[];
};

/** The start of a page among the components above GOOD: after a row, or at the first. */
type CursorPage = { offset: number; after: ScoringPlace | undefined };

/** The client: its partner, its start of the period and its page size. */
type FeedClient = { partnerId: string; client: string };
export type FoundCursor = { cursor: FeedCursor; page: CursorPage };

/** The storage of cursors between two pages. */
export type EventFeedCursors = {
  begin(reader: FeedClient, cursor: FeedCursor, now: Instant): void | Promise<void>;
  /** Finds the cursor with a page at this offset. */
  find(
    reader: FeedClient,
    offset: number,
    now: Instant,
  ): FoundCursor | undefined | Promise<FoundCursor | undefined>;
  /** Replaces a cursor that was found, to the end of the stream if its last page was read. */
  advance(
    reader: FeedClient,
    found: FeedCursor,
    next: FeedCursor,
    now: Instant,
    isLastPage: boolean,
  ): void | Promise<void>;
};

type Entry = { cursor: FeedCursor; touchedAt: Instant };
type StoredRow = StoredCursor & FeedClient & { touchedAt: Instant };

/** A client whose daily calls are used up continues when they are reset, up to a day later. */
const EXPIRY_MS = 90_000_000;
/** The last page is only requested again if its response was lost. */
const LAST_PAGE_EXPIRY_MS = 600_000;
const MAX_CLIENTS = 10_000;
const MAX_CURSORS_PER_CLIENT = 8;

/** Returns the time of a use from which a cursor expires. */
const touchedAtOf = (now: Instant, isLastPage: boolean): Instant =>
  isLastPage ? now - EXPIRY_MS + LAST_PAGE_EXPIRY_MS : now;

/**
 * Returns the cursor to continue with: the latest of those with a page at the offset, and the position that shows a
 * client everything whichever of their answers it has. Two answers to one page differ if components were rescored in
 * between.
 */
function mergedCursor(matches: readonly FeedCursor[], offset: number): FoundCursor | undefined {
  const latest = matches.at(-1);
  if (!latest) return;
  // After a snapshot, positions in the order of the one before mean nothing.
  const inOrder = matches.filter(({ order }) => order.latestSnapshotAt === latest.order.latestSnapshotAt);
  const page = inOrder
    .map(({ pages }) => pages.find((one) => one.offset === offset)!)
    .reduce((first, one) => (endsBefore(one, first) ? one : first));
  const cursor = {
    ...latest,
    shownUntil: Math.min(...matches.map(({ shownUntil }) => shownUntil)),
    order: { ...latest.order, settled: Math.min(...inOrder.map(({ order }) => order.settled)) },
  };
  return { cursor, page };
}

/** Returns whether the page before `one` ended before that before `other`. Rescored components come last. */
function endsBefore({ after: one }: CursorPage, { after: other }: CursorPage): boolean {
  if (!one || !other) return other !== undefined;
  const first = (one.rescoredAt ?? 0) - (other.rescoredAt ?? 0);
  return first === 0 ? one.seq < other.seq : first < 0;
}

/**
 * Cursors in memory. An offset alone does not identify a position: entries logged meanwhile move the components
 * back, and rescoring changes their order, so a client would skip rows and, by storing a later timestamp, never see
 * them. Therefore the history ends where it ended on the first page, and the components continue after the last row
 * returned.
 *
 * A cursor is identified by the client and the offset. A client whose cursor is gone may miss events, so that the partner with
 * the most clients gives way when there are too many: no partner's requests take the place of another's cursors.
 */
export class MemoryFeedCursors implements EventFeedCursors {
  /** By partner, its clients, the one that is longest unused first. */
  readonly #byPartner = new Map<string, Map<string, Entry[]>>();
  #clients = 0;
  /** The entries of the cursors that were found, and what these were. */
  readonly #found = new WeakMap<FeedCursor, { entry: Entry; cursor: FeedCursor }>();

  begin(reader: FeedClient, cursor: FeedCursor, now: Instant): void {
    const alive = this.#entriesOf(reader).filter(({ touchedAt }) => touchedAt > now - EXPIRY_MS);
    this.#use(reader, [...alive.slice(1 - MAX_CURSORS_PER_CLIENT), { cursor, touchedAt: now }]);
  }

  #entriesOf({ partnerId, client }: FeedClient): Entry[] {
    return this.#byPartner.get(partnerId)?.get(client) ?? [];
  }

  /** Stores the entries of a client as the latest used, in the place of another client if there are too many. */
  #use({ partnerId, client }: FeedClient, entries: Entry[]): void {
    const clients = this.#byPartner.get(partnerId) ?? new Map<string, Entry[]>();
    this.#byPartner.set(partnerId, clients);
    if (!clients.delete(client)) this.#clients++;
    clients.set(client, entries);
    if (this.#clients > MAX_CLIENTS) this.#dropOne();
  }

  #dropOne(): void {
    let [largest, most] = ["", new Map<string, Entry[]>()];
    for (const [partnerId, clients] of this.#byPartner)
      if (clients.size > most.size) [largest, most] = [partnerId, clients];
    most.delete(most.keys().next().value!);
    if (most.size === 0) this.#byPartner.delete(largest);
    this.#clients--;
  }

  find(reader: FeedClient, offset: number, now: Instant): FoundCursor | undefined {
    const entries = this.#entriesOf(reader);
    const matches = entries.filter(
      ({ cursor, touchedAt }) =>
        touchedAt > now - EXPIRY_MS && cursor.pages.some((page) => page.offset === offset),
    );
    const found = mergedCursor(
      matches.map(({ cursor }) => cursor),
      offset,
    );
    if (!found) return;
    this.#use(reader, entries);
    const latest = matches.at(-1)!;
    latest.touchedAt = now;
    this.#found.set(found.cursor, { entry: latest, cursor: latest.cursor });
    return found;
  }

  advance(reader: FeedClient, found: FeedCursor, next: FeedCursor, now: Instant, isLastPage: boolean): void {
    const read = this.#found.get(found);
    if (!read) return;
    const touchedAt = touchedAtOf(now, isLastPage);
    if (read.entry.cursor !== read.cursor) this.begin(reader, next, touchedAt);
    else Object.assign(read.entry, { cursor: next, touchedAt });
  }

  /** Stores the cursors of partners that still exist, for the next process. */
  async keep(store: Pick<Store, "write">, now: Instant): Promise<void> {
    const rows: StoredRow[] = [];
    // Oldest first, as they are restored.
    for (const [partnerId, clients] of this.#byPartner)
      for (const [client, entries] of clients)
        for (const { cursor, touchedAt } of entries)
          if (touchedAt > now - EXPIRY_MS)
            rows.push({
              partnerId,
              client,
              id: Bun.randomUUIDv7(),
              state: JSON.stringify(cursor),
              touchedAt,
            });
    await store.write(async (tx) => {
      await tx.feedCursors.prune(now + 1);
      await tx.feedCursors.insertAll(rows);
    });
  }

  /** Restores the cursors that an earlier process has stored. */
  async restore(store: Pick<Store, "read">, now: Instant): Promise<void> {
    for (const { partnerId, client, state, touchedAt } of await store.read.feedCursors.all(now - EXPIRY_MS)) {
      const reader = { partnerId, client };
      this.#use(reader, [...this.#entriesOf(reader), { cursor: JSON.parse(state) as FeedCursor, touchedAt }]);
    }
  }
}

/**
 * Cursors in the database, so that any server of a cluster may answer the next page. They are stored durably: a
 * lost cursor would make its client skip rows.
 */
export class StoredFeedCursors implements EventFeedCursors {
  /** The stored rows of the cursors that were found. */
  readonly #stored = new WeakMap<FeedCursor, StoredCursor>();

  constructor(private readonly store: Pick<Store, "read" | "write">) {}

  async begin(reader: FeedClient, cursor: FeedCursor, now: Instant): Promise<void> {
    const stored = { ...reader, id: Bun.randomUUIDv7(), state: JSON.stringify(cursor), touchedAt: now };
    await this.store.write(async (tx) => {
      await tx.feedCursors.prune(now - EXPIRY_MS);
      await tx.feedCursors.begin(stored, MAX_CURSORS_PER_CLIENT - 1);
    });
  }

  async find(
    { partnerId, client }: FeedClient,
    offset: number,
    now: Instant,
  ): Promise<FoundCursor | undefined> {
    const rows = await this.store.read.feedCursors.ofClient(partnerId, client, now - EXPIRY_MS);
    const matches = rows
      .map((stored) => ({ stored, cursor: JSON.parse(stored.state) as FeedCursor }))
      .filter(({ cursor }) => cursor.pages.some((page) => page.offset === offset));
    const found = mergedCursor(
      matches.map(({ cursor }) => cursor),
      offset,
    );
    if (found) this.#stored.set(found.cursor, matches.at(-1)!.stored);
    return found;
  }

  async advance(
    reader: FeedClient,
    found: FeedCursor,
    next: FeedCursor,
    now: Instant,
    isLastPage: boolean,
  ): Promise<void> {
    const read = this.#stored.get(found);
    if (!read) return;
    const touchedAt = touchedAtOf(now, isLastPage);
    const row = { ...reader, id: Bun.randomUUIDv7(), state: JSON.stringify(next), touchedAt };
    await this.store.write(async (tx) => {
      const isReplaced = await tx.feedCursors.replace(read, row.state, touchedAt);
      if (!isReplaced) await tx.feedCursors.begin(row, MAX_CURSORS_PER_CLIENT - 1);
    });
  }
}

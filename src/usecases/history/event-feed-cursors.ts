import { LRUCache } from "lru-cache";
import type { Instant } from "../../domain/time.ts";
import type { ScoringPlace } from "../../store/queries/component-lists.ts";
import type { KeptWalk } from "../../store/queries/event-cursors.ts";
import type { Store } from "../../store/store.ts";

/** A walk through the pages of the event stream: what held when it began, and where it stands. */
export type Walk = {
  /** Entries of the history, ever, when it began: those logged since belong to the next walk. */
  entries: number;
  /** The last moment given out to a row before it began. */
  shownUntil: Instant;
  /** The snapshot by which the components are in order, and how many of them it still orders. */
  order: { settledAt: Instant | null; settled: number };
  /** The latest page asked for and the one after it, which is the next unless an answer was lost. */
  pages: WalkPage[];
};

/** Where a page begins among the elevated components: after a row, or at the first of them. */
export type WalkPage = { offset: number; after: ScoringPlace | undefined };

/** Who walks, since when, in pages of which size. */
export type Walker = { partnerId: string; client: string };
export type StandingWalk = { walk: Walk; page: WalkPage };

/** Where walks are kept between their pages. */
export type Walks = {
  begin(walker: Walker, walk: Walk, now: Instant): void | Promise<void>;
  /** The walk that stands at this offset and its page there, if there is one. */
  at(
    walker: Walker,
    offset: number,
    now: Instant,
  ): StandingWalk | undefined | Promise<StandingWalk | undefined>;
  /** Says that a walk that was found stands at other pages now. */
  moved(walk: Walk, now: Instant): void | Promise<void>;
};

type Kept = { walk: Walk; touchedAt: Instant };

const FORGOTTEN_AFTER_MS = 600_000;
const MOST_CLIENTS = 10_000;
const MOST_ALIKE = 8;

/**
 * The walks that are under way. An offset alone does not tell where a client stands: what is logged meanwhile would
 * push the components back, and what is scored again changes its place among them, so that the client would pass over
 * rows and, by storing a later timestamp, never see them. So the history of a walk ends where it ended on the first
 * page, and its components go on after the row given last.
 *
 * A walk is told by who walks, since when, in pages of which size, and where it stands. Of several at one place the one
 * begun last is taken, which has seen the least of the components, with the earliest end of what was shown.
 */
export class EventWalks implements Walks {
  readonly #kept = new LRUCache<string, Kept[]>({ max: MOST_CLIENTS });

  begin({ partnerId, client }: Walker, walk: Walk, now: Instant): void {
    const key = `${partnerId} ${client}`;
    const alive = (this.#kept.get(key) ?? []).filter(({ touchedAt }) => touchedAt > now - FORGOTTEN_AFTER_MS);
    this.#kept.set(key, [...alive.slice(1 - MOST_ALIKE), { walk, touchedAt: now }]);
  }

  /** The walk that stands at this offset and its page there, if there is one. */
  at({ partnerId, client }: Walker, offset: number, now: Instant): StandingWalk | undefined {
    const standing = (this.#kept.get(`${partnerId} ${client}`) ?? []).filter(
      ({ walk, touchedAt }) =>
        touchedAt > now - FORGOTTEN_AFTER_MS && walk.pages.some((page) => page.offset === offset),
    );
    const latest = standing.at(-1);
    if (!latest) return;
    latest.touchedAt = now;
    latest.walk.shownUntil = Math.min(...standing.map(({ walk }) => walk.shownUntil));
    return { walk: latest.walk, page: pageAt(latest.walk, offset) };
  }

  /** What was found is what is kept. */
  moved(): void {}
}

/**
 * The same in the database, where the next page may be asked of another server. A walk that were lost with the database's
 * process would leave rows out, so an answer waits for its disk.
 */
export class StoredWalks implements Walks {
  /** As they were found. */
  readonly #kept = new WeakMap<Walk, KeptWalk>();

  constructor(private readonly store: Pick<Store, "read" | "write">) {}

  async begin(walker: Walker, walk: Walk, now: Instant): Promise<void> {
    const kept = { ...walker, id: Bun.randomUUIDv7(), walk: JSON.stringify(walk), touchedAt: now };
    await this.store.write(async (tx) => {
      await tx.eventWalks.forget(now - FORGOTTEN_AFTER_MS);
      await tx.eventWalks.begin(kept, MOST_ALIKE - 1);
    });
  }

  async at({ partnerId, client }: Walker, offset: number, now: Instant): Promise<StandingWalk | undefined> {
    const kept = await this.store.read.eventWalks.ofClient(partnerId, client, now - FORGOTTEN_AFTER_MS);
    const standing = kept
      .map((one) => ({ kept: one, walk: JSON.parse(one.walk) as Walk }))
      .filter(({ walk }) => walk.pages.some((page) => page.offset === offset));
    const latest = standing.at(-1);
    if (!latest) return;
    latest.walk.shownUntil = Math.min(...standing.map(({ walk }) => walk.shownUntil));
    this.#kept.set(latest.walk, latest.kept);
    return { walk: latest.walk, page: pageAt(latest.walk, offset) };
  }

  async moved(walk: Walk, now: Instant): Promise<void> {
    const kept = this.#kept.get(walk);
    if (!kept) return;
    const text = JSON.stringify(walk);
    // Where it was moved meanwhile, its client has gone on by another server's answer.
    await this.store.write((tx) => tx.eventWalks.move(kept, text, now));
  }
}

const pageAt = ({ pages }: Walk, offset: number): WalkPage => pages.find((page) => page.offset === offset)!;

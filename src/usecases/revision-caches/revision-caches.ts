import { LRUCache } from "lru-cache";
import type { Day } from "../../domain/time.ts";

/** A partner whose data an answer shows, with the revision of the data. */
export type ShownPartner = { id: string; revision: string };

/** The state of the data that an answer shows. It is read before the answer is computed, so that no answer is older. */
type Shown = {
  partners: readonly ShownPartner[];
  /** The day of the answer; undefined if it does not depend on the day. */
  day?: Day;
  /** Anything else that the answer depends on, such as the model. */
  besides?: string;
};

type CacheOptions<Answer> = {
  /** Returns about how much memory an answer takes, in bytes. */
  bytesOf: (answer: Answer) => number;
  /** Larger answers are not kept. */
  mostBytes?: number;
};

/** The share of the memory that answers of each kind may take; together all of it. */
const SHARES = { responses: 15 / 64, sums: 1 / 64, pages: 1 / 4, losses: 1 / 2 };

/** The approximate memory of an entry and of each partner in it, besides the answer and its key. */
const ENTRY_BYTES = 400;
const PARTNER_BYTES = 100;

/**
 * Keeps answers until the data that they show change, the least recently used first to go. An answer whose data have changed
 * is dropped when it is asked for again, or by `dropSuperseded`.
 */
export class RevisionCache<Answer extends object> {
  readonly #kept: LRUCache<string, { shown: Shown; answer: Answer }>;

  constructor(maxBytes: number, { bytesOf, mostBytes = maxBytes }: CacheOptions<Answer>) {
    const size = Math.max(1, Math.floor(maxBytes));
    this.#kept = new LRUCache({
      maxSize: size,
      maxEntrySize: Math.min(size, mostBytes + ENTRY_BYTES),
      sizeCalculation: ({ shown, answer }, key) =>
        ENTRY_BYTES + 2 * key.length + shown.partners.length * PARTNER_BYTES + Math.ceil(bytesOf(answer)),
    });
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Returns the answer to the question that `key` names, if it shows this state of the data. */
  get(key: string, shown: Shown): Answer | undefined {
    const known = this.#kept.get(key);
    if (known === undefined) return undefined;
    if (isSame(known.shown, shown)) return known.answer;
    this.#kept.delete(key);
    return undefined;
  }

  set(key: string, shown: Shown, answer: Answer): void {
    this.#kept.set(key, { shown, answer });
  }

  /** Drops the answers of other days, of partners that are gone, and of data that have changed since. */
  dropSuperseded(revisions: ReadonlyMap<string, string>, today: Day): void {
    const isCurrent = ({ partners, day }: Shown) =>
      (day === undefined || day === today) &&
      partners.every(({ id, revision }) => revisions.get(id) === revision);
    for (const [key, { shown }] of this.#kept.entries()) if (!isCurrent(shown)) this.#kept.delete(key);
  }
}

/**
 * Returns the sums that all pages of a partner's list state, by the name of the list. They are found once for each revision of
 * the partner's data, which the reads of `find` have, and each time without one.
 */
export type SumsOf = <Sums extends object>(
  name: string,
  revision: string | undefined,
  find: () => Promise<Sums>,
) => Promise<Sums>;

/** Keeps the sums of a partner's lists in a cache. */
export function loadSumsByRevision(cache: RevisionCache<object>, id: string): SumsOf {
  return async <Sums extends object>(
    name: string,
    revision: string | undefined,
    find: () => Promise<Sums>,
  ) => {
    if (revision === undefined) return await find();
    const key = `${id} ${name}`;
    const shown = { partners: [{ id, revision }] };
    const known = cache.get(key, shown) as Sums | undefined;
    if (known) return known;
    const found = await find();
    cache.set(key, shown, found);
    return found;
  };
}

/** Anything that keeps data of partners in memory. */
type PartnerCache = Pick<RevisionCache<object>, "dropSuperseded">;

/** The memory for answers, divided among the kinds of answers; and the other caches of partners' data. */
export class RevisionCaches {
  readonly #caches: PartnerCache[] = [];

  constructor(private readonly totalBytes: number) {}

  open<Answer extends object>(
    kind: keyof typeof SHARES,
    options: CacheOptions<Answer>,
  ): RevisionCache<Answer> {
    const cache = new RevisionCache(SHARES[kind] * this.totalBytes, options);
    this.add(cache);
    return cache;
  }

  /** Adds a cache with a limit of its own. */
  add(cache: PartnerCache): void {
    this.#caches.push(cache);
  }

  dropSuperseded(revisions: ReadonlyMap<string, string>, today: Day): void {
    for (const cache of this.#caches) cache.dropSuperseded(revisions, today);
  }
}

const isSame = (one: Shown, other: Shown) =>
  one.day === other.day &&
  one.besides === other.besides &&
  one.partners.length === other.partners.length &&
  one.partners.every(({ id, revision }, nth) => {
    const partner = other.partners[nth]!;
    return partner.id === id && partner.revision === revision;
  });

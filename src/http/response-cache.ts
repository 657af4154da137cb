import { LRUCache } from "lru-cache";

/** A JSON response with its ETag, if it has one. */
export type TaggedResponse = { body: string; etag: string | undefined };

const MAX_TOTAL_CHARS = 16_777_216;
const MAX_RESPONSE_CHARS = 65_536;

/**
 * Caches responses that depend only on the database and the partner, until the partner's revision changes: polling
 * clients request the same pages repeatedly, and scores change daily. Each request reads the revision from the database
 * before its response is made, so a cached response is never older than a commit, of this process or another.
 */
export class ResponseCache {
  readonly #responses = new LRUCache<string, { revision: number; response: TaggedResponse }>({
    maxSize: MAX_TOTAL_CHARS,
    maxEntrySize: MAX_RESPONSE_CHARS,
    sizeCalculation: ({ response }, key) => response.body.length + key.length,
  });

  /** `key`: the partner's ID and the URL. */
  get(revision: number, key: string): TaggedResponse | undefined {
    const cached = this.#responses.get(key);
    return cached?.revision === revision ? cached.response : undefined;
  }

  set(revision: number, key: string, response: TaggedResponse): void {
    this.#responses.set(key, { revision, response });
  }
}

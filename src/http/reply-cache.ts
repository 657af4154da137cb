import { LRUCache } from "lru-cache";
import { lengthOf, type Reply } from "./operation.ts";

const MAX_TOTAL_BYTES = 33_554_432;
const MAX_REPLY_BYTES = 4_194_304;

/**
 * Returns the key of what an owner's page shows in an encoding, whatever else the request says: neither the host, the order
 * of the parameters nor one that the page does not have makes another reply. `query` has the known parameters alone.
 */
export const replyKey = (
  owner: string,
  page: string,
  encoding: string,
  query: ReadonlyMap<string, string>,
): string => JSON.stringify([owner, page, encoding, ...[...query].sort()]);

/**
 * Caches texts and bytes, until the version of the data that they show changes. The caller reads the version before it
 * makes a reply, so a cached reply is never older than its version.
 */
export class ReplyCache {
  readonly #replies: LRUCache<string, { version: string; reply: Reply<never> }>;

  constructor(maxTotalBytes = MAX_TOTAL_BYTES, maxReplyBytes = MAX_REPLY_BYTES) {
    this.#replies = new LRUCache({
      maxSize: maxTotalBytes,
      maxEntrySize: maxReplyBytes,
      sizeCalculation: ({ reply }, key) => lengthOf(reply) + key.length,
    });
  }

  get(version: string, key: string): Reply<never> | undefined {
    const cached = this.#replies.get(key);
    return cached?.version === version ? cached.reply : undefined;
  }

  set(version: string, key: string, reply: Reply<never>): void {
    if (lengthOf(reply) > 0) this.#replies.set(key, { version, reply });
  }
}

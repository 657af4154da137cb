import { LRUCache } from "lru-cache";

/** A JSON answer with its tag, where it has one. */
export type Answer = { body: string; etag: string | undefined };

/** Characters of all answers together, and of one. */
const MOST = 16_777_216;
const LARGEST = 65_536;

/**
 * Answers that depend on nothing but the database and the caller, kept until the partner's revision moves: pollers ask
 * for the same pages again and again, and scores move daily. The revision is read from the database with the request,
 * before the answer is worked out, so one that a commit overtook is never given again, whichever process committed.
 * Each server keeps its own; none of them promises anything to another.
 */
export class SteadyAnswers {
  readonly #answers = new LRUCache<string, { revision: number; answer: Answer }>({
    maxSize: MOST,
    maxEntrySize: LARGEST,
    sizeCalculation: ({ answer }, key) => answer.body.length + key.length,
  });

  /** `key` names the partner and what was asked for. */
  find(revision: number, key: string): Answer | undefined {
    const known = this.#answers.get(key);
    return known?.revision === revision ? known.answer : undefined;
  }

  keep(revision: number, key: string, answer: Answer): void {
    this.#answers.set(key, { revision, answer });
  }
}

import { forEachInSteps, type Steps, sortInSteps } from "../steps/computation-steps.ts";

/**
 * Items by score in hundredths, in a bucket per score, so that only equal scores need sorting. Without an order, these keep
 * that of insertion.
 */
export class ScoreBucketSort<T> {
  readonly #buckets: T[][] = [];

  add(riskScore: number, item: T): void {
    this.#buckets[riskScore] ??= [];
    this.#buckets[riskScore].push(item);
  }

  /** Returns the items, the highest score first. `order` sorts those of equal scores. */
  *list(order?: (a: T, b: T) => number): Steps<T[]> {
    const items: T[] = [];
    for (const bucket of this.#buckets.toReversed()) {
      if (!bucket) continue;
      // All items may have the same score, so that sorting and copying a bucket may take long.
      const sorted = order ? yield* sortInSteps(bucket, order) : bucket;
      yield* forEachInSteps(sorted, (item) => void items.push(item));
    }
    return items;
  }
}

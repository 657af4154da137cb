/**
 * Items by score in hundredths, in a bucket per score, so that long lists need no sorting. Equal scores keep the order of
 * insertion.
 */
export class ScoreBuckets<T> {
  readonly #buckets: T[][] = [];

  add(riskScore: number, item: T): void {
    this.#buckets[riskScore] ??= [];
    this.#buckets[riskScore].push(item);
  }

  /** Returns the items, the highest score first. `order` sorts those of equal scores. */
  list(order?: (a: T, b: T) => number): T[] {
    const items: T[] = [];
    for (const bucket of this.#buckets.toReversed()) {
      if (!bucket) continue;
      if (order) bucket.sort(order);
      for (const item of bucket) items.push(item);
    }
    return items;
  }
}

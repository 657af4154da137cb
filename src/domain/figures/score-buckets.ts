/**
 * A list by score in hundredths, the highest first, and equals in the order in which they came: kept in a pile for each
 * score, so that however long it grows there is nothing to sort.
 */
export class ScoreBuckets<T> {
  readonly #piles: T[][] = [];

  add(riskScore: number, item: T): void {
    this.#piles[riskScore] ??= [];
    this.#piles[riskScore].push(item);
  }

  /** `order` is that of equal scores, where they are not to stay as they came. */
  list(order?: (a: T, b: T) => number): T[] {
    const items: T[] = [];
    for (const pile of this.#piles.toReversed()) {
      if (!pile) continue;
      if (order) pile.sort(order);
      for (const item of pile) items.push(item);
    }
    return items;
  }
}

/** Values that follow from keys and are kept, such as the new part of a kind. Their creator bounds it. */
export type ValueCache<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
};

/** The numbers of a key that tell most keys apart, and whether two keys with the same numbers are equal. */
type Comparison<Key> = {
  first(key: Key): number;
  second(key: Key): number;
  isSame(one: Key, other: Key): boolean;
};

/**
 * Keeps values by keys of numbers. The numbers are compared as they are: texts of them take longer to write than most of
 * what is kept takes to compute. Beyond the limit all are computed again.
 */
export class NumericKeyCache<Key, Value> implements ValueCache<Key, Value> {
  readonly #kept = new Map<number, Map<number, { key: Key; value: Value }[]>>();
  #count = 0;

  constructor(
    private readonly most: number,
    private readonly comparison: Comparison<Key>,
  ) {}

  get(key: Key): Value | undefined {
    const { first, second, isSame } = this.comparison;
    const alike = this.#kept.get(first(key))?.get(second(key));
    if (alike) for (const kept of alike) if (isSame(kept.key, key)) return kept.value;
    return undefined;
  }

  /** Keeps the value of a key that has none. */
  set(key: Key, value: Value): void {
    if (this.#count === this.most) this.clear();
    this.#count++;
    const { first, second } = this.comparison;
    const byFirst = this.#kept.get(first(key)) ?? new Map<number, { key: Key; value: Value }[]>();
    this.#kept.set(first(key), byFirst);
    const alike = byFirst.get(second(key)) ?? [];
    byFirst.set(second(key), alike);
    alike.push({ key, value });
  }

  clear(): void {
    this.#kept.clear();
    this.#count = 0;
  }
}

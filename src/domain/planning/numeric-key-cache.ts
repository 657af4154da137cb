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

type Entry<Key, Value> = { key: Key; value: Value };

/**
 * Keeps values by keys of numbers. The numbers are compared as they are: texts of them take longer to write than most of
 * what is kept takes to compute. Beyond the limit, each new value replaces the oldest one.
 */
export class NumericKeyCache<Key, Value> implements ValueCache<Key, Value> {
  readonly #kept = new Map<number, Map<number, Entry<Key, Value>[]>>();
  /** The entries from the oldest on; once there are `most`, from `#next` on, and then from the first. */
  readonly #byAge: Entry<Key, Value>[] = [];
  #next = 0;

  constructor(
    private readonly most: number,
    private readonly comparison: Comparison<Key>,
  ) {}

  get(key: Key): Value | undefined {
    const { first, second, isSame } = this.comparison;
    const bucket = this.#kept.get(first(key))?.get(second(key));
    if (bucket) for (const kept of bucket) if (isSame(kept.key, key)) return kept.value;
    return undefined;
  }

  /** Keeps the value of a key that has none. */
  set(key: Key, value: Value): void {
    const entry = { key, value };
    if (this.#byAge.length === this.most) this.#drop(this.#byAge[this.#next]!);
    this.#byAge[this.#next] = entry;
    this.#next = (this.#next + 1) % this.most;
    const { first, second } = this.comparison;
    const byFirst = this.#kept.get(first(key)) ?? new Map<number, Entry<Key, Value>[]>();
    this.#kept.set(first(key), byFirst);
    const bucket = byFirst.get(second(key)) ?? [];
    byFirst.set(second(key), bucket);
    bucket.push(entry);
  }

  clear(): void {
    this.#kept.clear();
    this.#byAge.length = 0;
    this.#next = 0;
  }

  #drop(entry: Entry<Key, Value>): void {
    const [first, second] = [this.comparison.first(entry.key), this.comparison.second(entry.key)];
    const byFirst = this.#kept.get(first)!;
    const bucket = byFirst.get(second)!.filter((one) => one !== entry);
    if (bucket.length > 0) byFirst.set(second, bucket);
    else byFirst.delete(second);
    if (byFirst.size === 0) this.#kept.delete(first);
  }
}

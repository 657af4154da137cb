/** Values that follow from keys and are kept, such as the new part of a kind. Their creator bounds it. */
export type ValueCache<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
};

/** A whole number that tells most keys apart, and whether two keys are equal. */
type Comparison<Key> = {
  /** In the range of 32 bits, whose look-up takes a fraction of that of other numbers. */
  hash(key: Key): number;
  isSame(one: Key, other: Key): boolean;
};

/** A kept value, and the next one with the same hash. */
type Entry<Key, Value> = { key: Key; value: Value; next: Entry<Key, Value> | undefined };

/** Returns a hash of a number of years and two amounts in cents. */
export const hashOfPlanAmounts = (years: number, cents: number, moreCents: number): number =>
  (years * 1e9 + cents * 31 + moreCents * 17) | 0;

/**
 * Keeps values by keys of numbers. The numbers are compared as they are: texts of them take longer to write than most of
 * what is kept takes to compute. Beyond the limit, each new value replaces the oldest one.
 */
export class ComputedPlanValues<Key, Value> implements ValueCache<Key, Value> {
  readonly #kept = new Map<number, Entry<Key, Value>>();
  /** The entries from the oldest on; once there are `most`, from `#next` on, and then from the first. */
  readonly #byAge: Entry<Key, Value>[] = [];
  #next = 0;

  constructor(
    private readonly most: number,
    private readonly comparison: Comparison<Key>,
  ) {}

  get(key: Key): Value | undefined {
    const { hash, isSame } = this.comparison;
    let kept = this.#kept.get(hash(key));
    while (kept && !isSame(kept.key, key)) kept = kept.next;
    return kept?.value;
  }

  /** Keeps the value of a key that has none. */
  set(key: Key, value: Value): void {
    const hash = this.comparison.hash(key);
    if (this.#byAge.length === this.most) this.#drop(this.#byAge[this.#next]!);
    const entry = { key, value, next: this.#kept.get(hash) };
    this.#byAge[this.#next] = entry;
    this.#next = (this.#next + 1) % this.most;
    this.#kept.set(hash, entry);
  }

  clear(): void {
    this.#kept.clear();
    this.#byAge.length = 0;
    this.#next = 0;
  }

  #drop(entry: Entry<Key, Value>): void {
    const hash = this.comparison.hash(entry.key);
    const newest = this.#kept.get(hash)!;
    if (newest === entry) this.#kept.delete(hash);
    else {
      // The oldest of all, so the last with its hash.
      let before = newest;
      while (before.next !== entry) before = before.next!;
      before.next = undefined;
    }
  }
}

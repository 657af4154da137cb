/*
 * The components of a book in typed arrays: about 45 bytes each, so that a million fit in little memory.
 */

/** Components in an array. */
const CHUNK = 8192;

/** Components of one step of a computation. */
export const CHUNK_SIZE = CHUNK;

/** The severity of a component that damages nothing. */
export const NO_SEVERITY = 0;

/** The loss inputs of many components, a typed array for each, so that a book of a million fits in memory. */
export class ComponentChunk {
  count = 0;
  readonly probability = new Float64Array(CHUNK);
  readonly hazard = new Float64Array(CHUNK);
  readonly repair = new Float64Array(CHUNK);
  /** Expected damages of a failure. */
  readonly frequency = new Float64Array(CHUNK);
  /** Indexes into the lists of the book. */
  readonly severity = new Uint32Array(CHUNK);
  readonly property = new Uint32Array(CHUNK);
  readonly group = new Uint16Array(CHUNK);
  readonly kind = new Uint16Array(CHUNK);
}

/** Numbers the distinct values of a column in the order of their first use. */
export class ComponentNumbering<Key extends string | number> {
  readonly keys: Key[] = [];
  readonly #indexes = new Map<Key, number>();

  indexOf(key: Key): number {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.keys.length);
    return this.keys.push(key) - 1;
  }
}

/** Keeps the places of the components with the largest values, in a heap whose root is the smallest of them. */
export class LargestComponents {
  readonly #values: number[] = [];
  readonly #places: number[] = [];

  constructor(private readonly most: number) {}

  offer(value: number, place: number): void {
    const [values, places] = [this.#values, this.#places];
    if (values.length < this.most) {
      let at = values.push(value) - 1;
      places.push(place);
      for (let parent = (at - 1) >> 1; at > 0 && values[parent]! > value; parent = (at - 1) >> 1) {
        this.#move(parent, at);
        at = parent;
      }
      this.#set(at, value, place);
      return;
    }
    if (!(value > values[0]!)) return;
    let at = 0;
    for (let child = 1; child < values.length; child = 2 * at + 1) {
      if (child + 1 < values.length && values[child + 1]! < values[child]!) child++;
      if (values[child]! >= value) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, value, place);
  }

  /** Returns the places in ascending order. */
  places(): number[] {
    return this.#places.toSorted((a, b) => a - b);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#values[from]!, this.#places[from]!);
  }

  #set(at: number, value: number, place: number): void {
    this.#values[at] = value;
    this.#places[at] = place;
  }
}

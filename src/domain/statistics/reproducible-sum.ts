const COARSE = 2 ** 20;
const FINE = 2 ** 50;

/**
 * Sums that are independent of the order of their terms (reproducible summation). Each term is split into a multiple of
 * 2⁻²⁰ and one of 2⁻⁵⁰, and the sums of both are exact up to 2³³ and some millions of terms.
 */
export class ReproducibleSums {
  readonly #coarse: Float64Array;
  readonly #fine: Float64Array;

  constructor(count: number) {
    this.#coarse = new Float64Array(count);
    this.#fine = new Float64Array(count);
  }

  add(which: number, term: number): void {
    const coarse = Math.round(term * COARSE) / COARSE;
    this.#coarse[which]! += coarse;
    this.#fine[which]! += Math.round((term - coarse) * FINE) / FINE;
  }

  value(which: number): number {
    return this.#coarse[which]! + this.#fine[which]!;
  }

  values(): Float64Array {
    return this.#coarse.map((coarse, which) => coarse + this.#fine[which]!);
  }
}

/** A single reproducible sum. */
export class ReproducibleSum {
  readonly #sums = new ReproducibleSums(1);

  add(term: number): void {
    this.#sums.add(0, term);
  }

  get value(): number {
    return this.#sums.value(0);
  }
}

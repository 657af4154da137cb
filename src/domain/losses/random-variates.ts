import { seededRandom } from "../calibration/seeded-random.ts";

const LAYERS = 128;
/** The start of the tail, and the area of each layer (Marsaglia and Tsang, Journal of Statistical Software 5(8), 2000). */
const TAIL = 3.442619855899;
const AREA = 9.91256303526217e-3;

const X = new Float64Array(LAYERS + 1);
const DENSITY = new Float64Array(LAYERS + 1);
{
  const density = (x: number) => Math.exp(-(x ** 2) / 2);
  X[0] = AREA / density(TAIL);
  X[1] = TAIL;
  for (let layer = 2; layer < LAYERS; layer++)
    X[layer] = Math.sqrt(-2 * Math.log(AREA / X[layer - 1]! + density(X[layer - 1]!)));
  X[LAYERS] = 0;
  for (let layer = 0; layer <= LAYERS; layer++) DENSITY[layer] = density(X[layer]!);
}

/** Draws random numbers from a seed: the seed gives the same numbers on every machine. */
export class RandomVariates {
  readonly #uniform: () => number;

  constructor(seed: number) {
    this.#uniform = seededRandom(seed);
  }

  /** Returns a number above 0 and at most 1. */
  uniform(): number {
    return 1 - this.#uniform();
  }

  exponential(): number {
    return -Math.log(1 - this.#uniform());
  }

  /** Draws a standard normal number by the ziggurat method. */
  normal(): number {
    for (;;) {
      // The layer and the place in it come from one number of 32 bits.
      const scaled = this.#uniform() * LAYERS;
      const layer = Math.floor(scaled);
      const place = 2 * (scaled - layer) - 1;
      const x = place * X[layer]!;
      if (Math.abs(x) < X[layer + 1]!) return x;
      if (layer === 0) return place < 0 ? -this.#beyondTail() : this.#beyondTail();
      const height = DENSITY[layer]! + this.#uniform() * (DENSITY[layer + 1]! - DENSITY[layer]!);
      if (height < Math.exp(-(x ** 2) / 2)) return x;
    }
  }

  #beyondTail(): number {
    for (;;) {
      const x = this.exponential() / TAIL;
      if (2 * this.exponential() > x ** 2) return TAIL + x;
    }
  }

  /** Draws a gamma number with the shape and scale 1 (Marsaglia and Tsang, ACM TOMS 26, 2000). */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * this.uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      const u = this.uniform();
      if (u < 1 - 0.0331 * x * x * x * x) return d * v;
      if (Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
    }
  }

  /** Draws a Poisson number with a small mean by counting. */
  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.uniform(); product > limit; product *= this.uniform()) count++;
    return count;
  }
}

/*
 * Layers of equal area under a density (the ziggurat method: Marsaglia and Tsang, Journal of Statistical Software 5(8), 2000).
 */

/** `tail`: where the lowest layer ends and the tail begins. `area`: that of each layer. */
type Shape = {
  layers: number;
  tail: number;
  area: number;
  density: (x: number) => number;
  inverse: (density: number) => number;
};

/** The right end of each layer, and the density there. */
type Layers = { ends: Float64Array; densities: Float64Array };

function layersOf({ layers, tail, area, density, inverse }: Shape): Layers {
  const ends = new Float64Array(layers + 1);
  ends[0] = area / density(tail);
  ends[1] = tail;
  for (let layer = 2; layer < layers; layer++)
    ends[layer] = inverse(area / ends[layer - 1]! + density(ends[layer - 1]!));
  ends[layers] = 0;
  return { ends, densities: ends.map(density) };
}

const NORMAL = {
  layers: 128,
  tail: 3.442619855899,
  area: 9.91256303526217e-3,
  density: (x: number) => Math.exp(-(x ** 2) / 2),
  inverse: (density: number) => Math.sqrt(-2 * Math.log(density)),
};
const EXPONENTIAL = {
  layers: 256,
  tail: 7.69711747013105,
  area: 0.003949659822581557,
  density: (x: number) => Math.exp(-x),
  inverse: (density: number) => -Math.log(density),
};
const normalLayers = layersOf(NORMAL);
const exponentialLayers = layersOf(EXPONENTIAL);

/** Draws random numbers from a seed: the seed gives the same numbers on every machine. */
export class RandomVariates {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns a number on [0, 1) (SplitMix by Steele, Lea and Flood, 32 bits). */
  #fraction(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) * 2 ** -32;
  }

  /** Returns a number above 0 and at most 1. */
  uniform(): number {
    return 1 - this.#fraction();
  }

  exponential(): number {
    const { ends, densities } = exponentialLayers;
    let beyond = 0;
    for (;;) {
      // The layer and the place in it come from one number of 32 bits.
      const scaled = this.#fraction() * EXPONENTIAL.layers;
      const layer = scaled | 0;
      const x = (scaled - layer) * ends[layer]!;
      if (x < ends[layer + 1]!) return beyond + x;
      // The tail is an exponential number again.
      if (layer === 0) beyond += EXPONENTIAL.tail;
      else {
        const height = densities[layer]! + this.#fraction() * (densities[layer + 1]! - densities[layer]!);
        if (height < Math.exp(-x)) return beyond + x;
      }
    }
  }

  /** Draws a standard normal number by the ziggurat method. */
  normal(): number {
    const { ends, densities } = normalLayers;
    for (;;) {
      const scaled = this.#fraction() * NORMAL.layers;
      const layer = scaled | 0;
      const place = 2 * (scaled - layer) - 1;
      const x = place * ends[layer]!;
      if (Math.abs(x) < ends[layer + 1]!) return x;
      if (layer === 0) return place < 0 ? -this.#beyondTail() : this.#beyondTail();
      const height = densities[layer]! + this.#fraction() * (densities[layer + 1]! - densities[layer]!);
      if (height < Math.exp(-(x ** 2) / 2)) return x;
    }
  }

  #beyondTail(): number {
    for (;;) {
      const x = this.exponential() / NORMAL.tail;
      if (2 * this.exponential() > x ** 2) return NORMAL.tail + x;
    }
  }

  gamma(shape: number): number {
    return this.#gammaFrom(this.normal(), this.uniform(), shape);
  }

  /**
   * Sets two gamma numbers with these shapes. Most come from the same normal and uniform number, which halves the numbers that
   * two simulations of one year take.
   */
  gammaPair(first: number, second: number, into: Float64Array): void {
    const x = this.normal();
    const u = this.uniform();
    into[0] = this.#gammaFrom(x, u, first);
    into[1] = this.#gammaFrom(x, u, second);
  }

  /**
   * Returns a gamma number with the shape and scale 1 (Marsaglia and Tsang, ACM TOMS 26, 2000) from a normal and a uniform
   * number, or from later ones if these are rejected.
   */
  #gammaFrom(x: number, u: number, shape: number): number {
    if (shape < 1) return this.#gammaFrom(x, u, shape + 1) * this.uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const root = 1 + c * x;
      if (root > 0) {
        const v = root * root * root;
        if (u < 1 - 0.0331 * x * x * x * x) return d * v;
        if (Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
      }
      x = this.normal();
      u = this.uniform();
    }
  }
}

import { cumulativeHazard } from "../statistics/weibull-distribution.ts";

/**
 * A part whose past before the record is unknown (docs/model/scoring.md#unknown-past). Ages are in units of the scale η,
 * so that all parts of one shape and one nominal age share one.
 */
export type UnknownPast = {
  shape: number;
  /** t/η, the nominal age when the record began. */
  nominalAge: number;
  /** k = (1 − S(t)) / Σ S(aⱼ), times exp(−`youngestHazard`). */
  weight: number;
  /** The cumulative hazard of the youngest aⱼ. It is factored out of every sum, since an old part's survivals underflow. */
  youngestHazard: number;
};

/** The number of midpoints of (0, t) that the density is summed over. */
const MIDPOINTS = 64;
const SHARES = Float64Array.from({ length: MIDPOINTS }, (_, j) => (j + 0.5) / MIDPOINTS);

/** Returns the unknown past of a shape and a nominal age t/η. */
export function createUnknownPast(shape: number, nominalAge: number): UnknownPast {
  const powers = sharePowers(shape);
  const hazard = cumulativeHazard(nominalAge, 1, shape);
  const youngestHazard = powers[0]! * hazard;
  let sum = 0;
  for (let j = 0; j < MIDPOINTS; j++) sum += Math.exp(youngestHazard - powers[j]! * hazard);
  return { shape, nominalAge, weight: -Math.expm1(-hazard) / sum, youngestHazard };
}

/** Returns the factor of each midpoint on the hazard at t: its share of t to the power of the shape. */
function sharePowers(shape: number): Float64Array {
  let powers = powersByShape.get(shape);
  if (!powers) {
    powers = SHARES.map((share) => share ** shape);
    powersByShape.set(shape, powers);
  }
  return powers;
}

/** Cached: the knowledge base has a few dozen shapes. */
const powersByShape = new Map<number, Float64Array>();

/** Returns p0, the probability of having failed by now from age alone. `since` is d/η. */
export function failureProbabilitySinceRecordBegan(past: UnknownPast, since: number): number {
  const { survived, failed } = weigh(past, since);
  return failed / survived;
}

/** Returns the probability that the part is still the original. `since` is d/η. */
export function probabilityStillOriginal(past: UnknownPast, since: number): number {
  const { kept, survived } = weigh(past, since);
  return kept / survived;
}

/** Returns the cumulative hazard since the record began, evidence aside. `since` is d/η. */
export function hazardSinceRecordBegan(past: UnknownPast, since: number): number {
  const { survived, base } = weigh(past, since);
  return base - past.youngestHazard - Math.log(survived);
}

/**
 * Returns the sums over the original and the ages of a renewed part: of S (`survived`) and S·F (`failed`), and the
 * original's S (`kept`), all times exp(`base` − `youngestHazard`).
 */
function weigh({ shape, nominalAge, weight, youngestHazard }: UnknownPast, since: number) {
  const base = cumulativeHazard(SHARES[0]! * nominalAge + since, 1, shape);
  const atBase = Math.exp(-base);
  const original = cumulativeHazard(nominalAge + since, 1, shape);
  const kept = Math.exp(base - youngestHazard - original);
  let [all, squares] = [0, 0];
  for (let j = 0; j < MIDPOINTS; j++) {
    const likelihood = Math.exp(base - cumulativeHazard(SHARES[j]! * nominalAge + since, 1, shape));
    all += likelihood;
    squares += likelihood * likelihood;
  }
  return {
    kept,
    survived: kept + weight * all,
    failed: kept * -Math.expm1(-original) + weight * (all - squares * atBase),
    base,
  };
}

/**
 * A cache of priors of unknown pasts: parts of one kind that were installed and registered together share one. A new
 * prior overwrites the one in its slot, so memory is bounded.
 */
export class PriorCache {
  readonly #keys = new Float64Array(3 * SLOTS);
  readonly #priors = new Float64Array(SLOTS);

  /** Returns `failureProbabilitySinceRecordBegan` of the past. Ages are in units of η. */
  prior(shape: number, nominalAge: number, since: number): number {
    const slot = slotOf(shape, nominalAge, since);
    const [keys, at] = [this.#keys, 3 * slot];
    // A shape is never 0, so an empty slot matches nothing.
    if (keys[at] === shape && keys[at + 1] === nominalAge && keys[at + 2] === since)
      return this.#priors[slot]!;
    const prior = failureProbabilitySinceRecordBegan(createUnknownPast(shape, nominalAge), since);
    keys[at] = shape;
    keys[at + 1] = nominalAge;
    keys[at + 2] = since;
    this.#priors[slot] = prior;
    return prior;
  }
}

const SLOTS = 2 ** 16;
const bits = new Float64Array(3);
const halves = new Uint32Array(bits.buffer);

/** Hashes all bits of the three numbers to a slot from 0 to `SLOTS` − 1. */
function slotOf(shape: number, nominalAge: number, since: number): number {
  bits[0] = shape;
  bits[1] = nominalAge;
  bits[2] = since;
  let hash = 0;
  for (let i = 0; i < 6; i++) {
    hash = Math.imul(hash ^ halves[i]!, 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  return hash & (SLOTS - 1);
}

import { cumulativeHazard } from "./weibull.ts";

/**
 * A part whose past before the record is unknown (docs/model/scoring.md#unknown-past). It is the original with probability S(t), t being
 * its nominal virtual age when the record began; or it was renewed at an unknown time, its age then having the
 * equilibrium density of a renewal process, proportional to S on (0, t). Ages in units of the scale η, so that parts of
 * one shape and one nominal age share it whatever they are.
 */
export type UnknownPast = {
  shape: number;
  /** t/η. */
  nominalAge: number;
  /** (1 − S(t)) / Σ S(aⱼ), times exp of the hazard below. */
  weight: number;
  /** The cumulative hazard of the youngest age, taken out of every sum: an old part's survivals vanish otherwise. */
  youngestHazard: number;
};

/** The ages that stand for the density: so many midpoints of (0, t). */
const MIDPOINTS = 64;
const SHARES = Float64Array.from({ length: MIDPOINTS }, (_, j) => (j + 0.5) / MIDPOINTS);

export function unknownPast(shape: number, nominalAge: number): UnknownPast {
  const powers = sharePowers(shape);
  const hazard = cumulativeHazard(nominalAge, 1, shape);
  const youngestHazard = powers[0]! * hazard;
  let sum = 0;
  for (let j = 0; j < MIDPOINTS; j++) sum += Math.exp(youngestHazard - powers[j]! * hazard);
  return { shape, nominalAge, weight: -Math.expm1(-hazard) / sum, youngestHazard };
}

/** Each midpoint's share of t to the power of a shape: what the hazard at t is multiplied by there. */
function sharePowers(shape: number): Float64Array {
  let powers = powersByShape.get(shape);
  if (!powers) {
    powers = SHARES.map((share) => share ** shape);
    powersByShape.set(shape, powers);
  }
  return powers;
}

/** Shapes are of the knowledge base: a few dozen at most. */
const powersByShape = new Map<number, Float64Array>();

/** The probability that the part in service has failed by now, from age alone; `since` is d/η. */
export function priorSince(past: UnknownPast, since: number): number {
  const { survived, failed } = weigh(past, since);
  return failed / survived;
}

/** The probability that the part in service is still the original one; `since` is d/η. */
export function originalSince(past: UnknownPast, since: number): number {
  const { kept, survived } = weigh(past, since);
  return kept / survived;
}

/** The cumulative hazard of what has passed since the record began, `since` being d/η, evidence aside. */
export function hazardSince(past: UnknownPast, since: number): number {
  const { survived, base } = weigh(past, since);
  return base - past.youngestHazard - Math.log(survived);
}

/**
 * The sums over the original and the ages of a renewed part: of S, and of S·F, both times exp(`base` − the hazard
 * that the weight was multiplied by).
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
 * The priors of unknown pasts, worked out once for the parts of one kind that were installed and registered together,
 * as those of a portfolio mostly are. A prior that is new takes the place of another, so memory is bounded and nothing
 * is ever tidied.
 */
export class PriorCache {
  readonly #keys = new Float64Array(3 * KEPT);
  readonly #priors = new Float64Array(KEPT);

  /** As `priorSince`; ages in units of η. */
  prior(shape: number, nominalAge: number, since: number): number {
    const place = placeOf(shape, nominalAge, since);
    const [keys, at] = [this.#keys, 3 * place];
    // a shape is never 0, so a place that nothing was put in is nobody's
    if (keys[at] === shape && keys[at + 1] === nominalAge && keys[at + 2] === since)
      return this.#priors[place]!;
    const prior = priorSince(unknownPast(shape, nominalAge), since);
    keys[at] = shape;
    keys[at + 1] = nominalAge;
    keys[at + 2] = since;
    this.#priors[place] = prior;
    return prior;
  }
}

const KEPT = 2 ** 16;
const bits = new Float64Array(3);
const halves = new Uint32Array(bits.buffer);

/** A place from 0 to `KEPT`, spread over all bits of the three numbers. */
function placeOf(shape: number, nominalAge: number, since: number): number {
  bits[0] = shape;
  bits[1] = nominalAge;
  bits[2] = since;
  let hash = 0;
  for (let i = 0; i < 6; i++) {
    hash = Math.imul(hash ^ halves[i]!, 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  return hash & (KEPT - 1);
}

import { cumulativeHazard } from "./weibull.ts";

/**
 * A part whose past before the record is unknown (`scoring.md` §2a). It is the original with probability S(t), t being
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
const KEPT_SHAPES = 64;
const SHARES = Float64Array.from({ length: MIDPOINTS }, (_, j) => (j + 0.5) / MIDPOINTS);
/** Each share to the power of a shape: what the hazard at t is multiplied by. */
const powersByShape = new Map<number, Float64Array>();

export function unknownPast(shape: number, nominalAge: number): UnknownPast {
  const powers = kept(powersByShape, shape, KEPT_SHAPES, () => SHARES.map((share) => share ** shape));
  const hazard = cumulativeHazard(nominalAge, 1, shape);
  const youngestHazard = powers[0]! * hazard;
  let sum = 0;
  for (const power of powers) sum += Math.exp(youngestHazard - power * hazard);
  const renewed = -Math.expm1(-hazard);
  return { shape, nominalAge, weight: renewed / sum, youngestHazard };
}

/** The probability that the part in service has failed by now, from age alone; `since` is d/η. */
export function priorSince(past: UnknownPast, since: number): number {
  const { survived, failed } = weigh(past, since);
  return failed / survived;
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
  let survived = Math.exp(base - youngestHazard - original);
  let failed = survived * -Math.expm1(-original);
  for (const share of SHARES) {
    const likelihood = Math.exp(base - cumulativeHazard(share * nominalAge + since, 1, shape));
    survived += weight * likelihood;
    failed += weight * likelihood * (1 - likelihood * atBase);
  }
  return { survived, failed, base };
}

/**
 * The priors of unknown pasts, each worked out once: parts of one kind that were installed and registered together,
 * as those of a portfolio mostly are, share theirs. What was kept first goes first when there are too many.
 */
export class UnknownPasts {
  #byShape = new Map<number, Map<number, Remembered>>();

  /** As `priorSince`; ages in units of η. */
  prior(shape: number, nominalAge: number, since: number): number {
    const ofShape = kept(this.#byShape, shape, KEPT_SHAPES, () => new Map<number, Remembered>());
    const { past, priors } = kept(ofShape, nominalAge, KEPT_PASTS, () => ({
      past: unknownPast(shape, nominalAge),
      priors: new Map<number, number>(),
    }));
    return kept(priors, since, KEPT_PRIORS, () => priorSince(past, since));
  }
}

type Remembered = { past: UnknownPast; priors: Map<number, number> };
const KEPT_PASTS = 2048;
const KEPT_PRIORS = 32;

function kept<K, V>(entries: Map<K, V>, key: K, limit: number, make: () => V): V {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (entries.size >= limit) entries.delete(entries.keys().next().value!);
  entries.set(key, made);
  return made;
}

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

export function unknownPast(shape: number, nominalAge: number): UnknownPast {
  const youngestHazard = hazardAt(shape, nominalAge, 0, 0);
  let sum = 0;
  for (let j = 0; j < MIDPOINTS; j++) sum += Math.exp(youngestHazard - hazardAt(shape, nominalAge, j, 0));
  const renewed = -Math.expm1(-cumulativeHazard(nominalAge, 1, shape));
  return { shape, nominalAge, weight: renewed / sum, youngestHazard };
}

/** The probability that the part in service now has failed by age alone, had it not been kept; `since` is d/η. */
export function priorSince(
  { shape, nominalAge, weight, youngestHazard }: UnknownPast,
  since: number,
): number {
  const base = hazardAt(shape, nominalAge, 0, since);
  const original = cumulativeHazard(nominalAge + since, 1, shape);
  let survived = Math.exp(base - youngestHazard - original);
  let failed = survived * -Math.expm1(-original);
  for (let j = 0; j < MIDPOINTS; j++) {
    const hazard = hazardAt(shape, nominalAge, j, since);
    const share = weight * Math.exp(base - hazard);
    survived += share;
    failed += share * -Math.expm1(-hazard);
  }
  return failed / survived;
}

/** The cumulative hazard of what has passed since the record began, `since` being d/η, evidence aside. */
export function hazardSince(past: UnknownPast, since: number): number {
  const { shape, nominalAge, weight, youngestHazard } = past;
  const base = hazardAt(shape, nominalAge, 0, since);
  let survived = Math.exp(base - youngestHazard - cumulativeHazard(nominalAge + since, 1, shape));
  for (let j = 0; j < MIDPOINTS; j++)
    survived += weight * Math.exp(base - hazardAt(shape, nominalAge, j, since));
  return base - youngestHazard - Math.log(survived);
}

function hazardAt(shape: number, nominalAge: number, j: number, since: number): number {
  return cumulativeHazard(((j + 0.5) / MIDPOINTS) * nominalAge + since, 1, shape);
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
const KEPT_SHAPES = 64;
const KEPT_PASTS = 512;
const KEPT_PRIORS = 32;

function kept<K, V>(entries: Map<K, V>, key: K, limit: number, make: () => V): V {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (entries.size >= limit) entries.delete(entries.keys().next().value!);
  entries.set(key, made);
  return made;
}

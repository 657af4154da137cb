import type { Corrections } from "../scoring/corrections.ts";
import { OrderFreeSum } from "./order-free-sum.ts";

/** One component in one year (`scoring.md` §8.4). */
export type EvidenceRow = {
  /** h: cumulative hazard of the year by age alone. */
  hazard: number;
  condition: number;
  repairs: number;
  failed: boolean;
};

const STRENGTH_SD = 0.5;
const STRENGTH_MEAN = 1;
const HIGHEST_STRENGTH = 4;
const ROWS_A_CHUNK = 20_000;
type EvidenceStrength = Corrections["strength"];

const PRECISION = 1e-9;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The exponents of the condition's and the repairs' ratio that maximise the likelihood of the years, with their priors.
 * One after the other until neither moves: the function is concave where no product meets its limit.
 */
export function* fitEvidence(
  rows: readonly EvidenceRow[],
  limits: { lowestProduct: number; highestProduct: number },
): Generator<void, EvidenceStrength> {
  const years = rows.map(({ hazard, condition, repairs, failed }) => ({
    hazard,
    condition: Math.log(condition),
    repairs: Math.log(repairs),
    failed,
  }));
  const [lowest, highest] = [Math.log(limits.lowestProduct), Math.log(limits.highestProduct)];
  const speaking = years.filter((year) => year.condition !== 0 || year.repairs !== 0);
  const logLikelihood = function* (g: EvidenceStrength): Generator<void, number> {
    const sum = new OrderFreeSum();
    for (const [i, { hazard, condition, repairs, failed }] of speaking.entries()) {
      const logRatio = Math.min(highest, Math.max(lowest, g.condition * condition + g.repairs * repairs));
      const expected = hazard * Math.exp(logRatio);
      sum.add(failed ? Math.log(-Math.expm1(-expected)) : -expected);
      if (i % ROWS_A_CHUNK === ROWS_A_CHUNK - 1) yield;
    }
    const prior = (value: number) => (value - STRENGTH_MEAN) ** 2 / (2 * STRENGTH_SD ** 2);
    return sum.value - prior(g.condition) - prior(g.repairs);
  };
  const strength: EvidenceStrength = { condition: STRENGTH_MEAN, repairs: STRENGTH_MEAN };
  for (let round = 0; round < 50; round++) {
    let moved = 0;
    for (const which of ["condition", "repairs"] as const) {
      const best = yield* maximise((value) => logLikelihood({ ...strength, [which]: value }));
      moved = Math.max(moved, Math.abs(best - strength[which]));
      strength[which] = best;
    }
    yield;
    if (moved < PRECISION * 10) break;
  }
  return strength;
}

/** Golden-section search for the maximum on [0, 4]. */
function* maximise(f: (x: number) => Generator<void, number>): Generator<void, number> {
  let [low, high] = [0, HIGHEST_STRENGTH];
  let [a, b] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [fa, fb] = [yield* f(a), yield* f(b)];
  while (high - low > PRECISION) {
    if (fa > fb) {
      [high, b, fb] = [b, a, fa];
      a = high - GOLDEN * (high - low);
      fa = yield* f(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + GOLDEN * (high - low);
      fb = yield* f(b);
    }
    yield;
  }
  return (low + high) / 2;
}

import type { Corrections } from "../scoring/corrections.ts";
import { OrderFreeSums } from "./order-free-sum.ts";

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

const PRECISION = 1e-10;
const ROUNDS = 50;

/**
 * The exponents of the condition's and the repairs' ratio that maximise the likelihood of the years, with their priors.
 * One after the other until neither moves: the function is concave where no product meets its limit.
 */
export function* fitEvidence(
  rows: readonly EvidenceRow[],
  limits: { lowestProduct: number; highestProduct: number },
): Generator<void, EvidenceStrength> {
  const [lowest, highest] = [Math.log(limits.lowestProduct), Math.log(limits.highestProduct)];
  const logs = new Float64Array(rows.length * WHICH.length);
  for (const [i, row] of rows.entries()) {
    for (const [k, which] of WHICH.entries()) logs[i * WHICH.length + k] = Math.log(row[which]);
    if (i % ROWS_A_CHUNK === ROWS_A_CHUNK - 1) yield;
  }
  const strength: EvidenceStrength = { condition: STRENGTH_MEAN, repairs: STRENGTH_MEAN };
  /** Slope and curvature of the log posterior in one of the exponents. */
  const slopeOf = function* (k: number, value: number): Generator<void, Slope> {
    const sums = new OrderFreeSums(2);
    const powers = { ...strength, [WHICH[k]!]: value };
    for (const [i, { hazard, failed }] of rows.entries()) {
      if (i % ROWS_A_CHUNK === ROWS_A_CHUNK - 1) yield;
      const log = logs[i * WHICH.length + k]!;
      if (log === 0) continue;
      const product =
        powers.condition * logs[i * WHICH.length]! + powers.repairs * logs[i * WHICH.length + 1]!;
      if (product <= lowest || product >= highest) continue; // held at its limit, whatever the exponent
      const expected = hazard * Math.exp(product);
      // of ln(1 − exp(−u)) by ln u: u / (exp(u) − 1)
      const first = failed ? expected / Math.expm1(expected) : -expected;
      const second = failed ? first * (1 - expected - first) : -expected;
      sums.add(0, first * log);
      sums.add(1, second * log * log);
    }
    return {
      slope: sums.value(0) - (value - STRENGTH_MEAN) / STRENGTH_SD ** 2,
      curvature: sums.value(1) - 1 / STRENGTH_SD ** 2,
    };
  };
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (const [k, which] of WHICH.entries()) {
      const best = yield* maximise((value) => slopeOf(k, value), strength[which]);
      moved = Math.max(moved, Math.abs(best - strength[which]));
      strength[which] = best;
    }
    if (moved < PRECISION * 10) break;
  }
  return strength;
}

const WHICH = ["condition", "repairs"] as const;
type Slope = { slope: number; curvature: number };

/** Newton's method for the maximum on [0, 4], kept within the bracket that the slopes tell. */
function* maximise(slopeAt: (x: number) => Generator<void, Slope>, start: number): Generator<void, number> {
  let [low, high] = [0, HIGHEST_STRENGTH];
  let x = start;
  for (let step = 0; step < 100; step++) {
    const { slope, curvature } = yield* slopeAt(x);
    if (slope > 0) low = x;
    else high = x;
    if (low === high) return x; // beyond the end
    const newton = Math.min(HIGHEST_STRENGTH, Math.max(0, x - slope / curvature));
    const isWithin = curvature < 0 && newton >= low && newton <= high;
    const next = isWithin ? newton : (low + high) / 2;
    if (Math.abs(next - x) < PRECISION) return next;
    x = next;
  }
  return x;
}

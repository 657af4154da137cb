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
  const range = [Math.log(limits.lowestProduct), Math.log(limits.highestProduct)] as const;
  const columns = yield* columnsOf(rows);
  const strength: [number, number] = [STRENGTH_MEAN, STRENGTH_MEAN];
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (const k of [CONDITION, REPAIRS] as const) {
      const other = strength[1 - k]!;
      const best = yield* maximise((value) => slopeOf(columns, k, value, other, range), strength[k]);
      moved = Math.max(moved, Math.abs(best - strength[k]));
      strength[k] = best;
    }
    if (moved < PRECISION * 10) break;
  }
  return { condition: strength[CONDITION], repairs: strength[REPAIRS] };
}

const CONDITION = 0;
const REPAIRS = 1;

/** The rows as columns, since each is gone through some dozens of times. */
type Columns = {
  hazards: Float64Array;
  /** Of the two ratios. */
  logs: readonly [Float64Array, Float64Array];
  failed: Uint8Array;
};

function* columnsOf(rows: readonly EvidenceRow[]): Generator<void, Columns> {
  const column = () => new Float64Array(rows.length);
  const [hazards, conditions, repairs, failed] = [column(), column(), column(), new Uint8Array(rows.length)];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    hazards[i] = row.hazard;
    conditions[i] = Math.log(row.condition);
    repairs[i] = Math.log(row.repairs);
    failed[i] = row.failed ? 1 : 0;
    if (i % ROWS_A_CHUNK === ROWS_A_CHUNK - 1) yield;
  }
  return { hazards, logs: [conditions, repairs], failed };
}

/** Slope and curvature of the log posterior in one of the exponents. */
function* slopeOf(
  { hazards, logs, failed }: Columns,
  k: typeof CONDITION | typeof REPAIRS,
  value: number,
  other: number,
  [lowest, highest]: readonly [number, number],
): Generator<void, Slope> {
  const [own, others] = [logs[k], logs[1 - k]!];
  const sums = new OrderFreeSums(2);
  for (let from = 0; from < own.length; from += ROWS_A_CHUNK) {
    const until = Math.min(own.length, from + ROWS_A_CHUNK);
    for (let i = from; i < until; i++) {
      const log = own[i]!;
      if (log === 0) continue;
      const product = value * log + other * others[i]!;
      if (product <= lowest || product >= highest) continue; // held at its limit, whatever the exponent
      const expected = hazards[i]! * Math.exp(product);
      // of ln(1 − exp(−u)) by ln u: u / (exp(u) − 1)
      const hasFailed = failed[i] === 1;
      const first = hasFailed ? expected / Math.expm1(expected) : -expected;
      const second = hasFailed ? first * (1 - expected - first) : -expected;
      sums.add(0, first * log);
      sums.add(1, second * log * log);
    }
    yield;
  }
  return {
    slope: sums.value(0) - (value - STRENGTH_MEAN) / STRENGTH_SD ** 2,
    curvature: sums.value(1) - 1 / STRENGTH_SD ** 2,
  };
}

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

import type { ModelCorrections } from "../scoring/score-model-corrections.ts";
import { ReproducibleSums } from "../statistics/reproducible-sum.ts";
import type { Steps } from "../steps/computation-steps.ts";

/** A component year (docs/model/calibration.md#strength-of-evidence). */
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
const ROWS_PER_STEP = 20_000;
type EvidenceStrength = ModelCorrections["strength"];

const PRECISION = 1e-10;
const ROUNDS = 50;

/**
 * Returns the exponents on the ratios of the condition and of repairs that maximize the posterior of the component years.
 * They are maximized in turn until neither moves; the function is concave where no product meets its limit.
 */
export function* fitEvidenceStrengthInSteps(
  rows: readonly EvidenceRow[],
  limits: { lowestProduct: number; highestProduct: number },
): Steps<EvidenceStrength> {
  const range = [Math.log(limits.lowestProduct), Math.log(limits.highestProduct)] as const;
  const columns = yield* columnsOf(rows);
  const strength: [number, number] = [STRENGTH_MEAN, STRENGTH_MEAN];
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (const k of [CONDITION, REPAIRS] as const) {
      const other = strength[1 - k]!;
      const best = yield* maximize((value) => slopeOf(columns, k, value, other, range), strength[k]);
      moved = Math.max(moved, Math.abs(best - strength[k]));
      strength[k] = best;
    }
    if (moved < PRECISION * 10) break;
  }
  return { condition: strength[CONDITION], repairs: strength[REPAIRS] };
}

const CONDITION = 0;
const REPAIRS = 1;

/**
 * The rows as columns, since they are iterated some dozens of times: each row that failed, and one row per pair of ratios
 * for the others. Ratios fade by days, so there are far fewer pairs than rows, and Σ h·θ over a pair's rows is θ·Σ h.
 */
type Columns = {
  hazards: Float64Array;
  /** Logarithms of the two ratios. */
  logs: readonly [Float64Array, Float64Array];
  /** Index of the first row that failed. */
  failedFrom: number;
};

function* columnsOf(rows: readonly EvidenceRow[]): Steps<Columns> {
  const pairs = new Map<number, Map<number, number>>();
  const lasted: EvidenceRow[] = [];
  const failed: EvidenceRow[] = [];
  const placeOf = (row: EvidenceRow) => {
    const ofCondition = pairs.get(row.condition) ?? new Map<number, number>();
    pairs.set(row.condition, ofCondition);
    const place = ofCondition.get(row.repairs) ?? lasted.push(row) - 1;
    ofCondition.set(row.repairs, place);
    return place;
  };
  const places = new Int32Array(rows.length).fill(-1);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (row.failed) failed.push(row);
    else places[i] = placeOf(row);
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  const sums = new ReproducibleSums(lasted.length);
  for (let i = 0; i < rows.length; i++) {
    if (places[i]! >= 0) sums.add(places[i]!, rows[i]!.hazard);
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  const ordered = [...lasted, ...failed];
  const hazards = Float64Array.from(ordered, ({ hazard }) => hazard);
  hazards.set(sums.values());
  yield;
  return {
    hazards,
    logs: [
      Float64Array.from(ordered, ({ condition }) => Math.log(condition)),
      Float64Array.from(ordered, ({ repairs }) => Math.log(repairs)),
    ],
    failedFrom: lasted.length,
  };
}

/** Returns slope and curvature of the log posterior in one of the exponents. */
function* slopeOf(
  { hazards, logs, failedFrom }: Columns,
  k: typeof CONDITION | typeof REPAIRS,
  value: number,
  other: number,
  [lowest, highest]: readonly [number, number],
): Steps<Slope> {
  const [own, others] = [logs[k], logs[1 - k]!];
  const sums = new ReproducibleSums(2);
  for (let from = 0; from < own.length; from += ROWS_PER_STEP) {
    const until = Math.min(own.length, from + ROWS_PER_STEP);
    for (let i = from; i < until; i++) {
      const log = own[i]!;
      if (log === 0) continue;
      const product = value * log + other * others[i]!;
      if (product <= lowest || product >= highest) continue; // at its limit, whatever the exponent
      const expected = hazards[i]! * Math.exp(product);
      // d ln(1 − exp(−u)) / d ln u = u / (exp(u) − 1)
      const hasFailed = i >= failedFrom;
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

/** Finds the maximum on [0, 4] by Newton's method within the bracket that the slopes give. */
function* maximize(slopeAt: (x: number) => Steps<Slope>, start: number): Steps<number> {
  let [low, high] = [0, HIGHEST_STRENGTH];
  let x = start;
  for (let step = 0; step < 100; step++) {
    const { slope, curvature } = yield* slopeAt(x);
    if (slope > 0) low = x;
    else high = x;
    if (low === high) return x; // the maximum lies beyond the end
    const newton = Math.min(HIGHEST_STRENGTH, Math.max(0, x - slope / curvature));
    const isWithin = curvature < 0 && newton >= low && newton <= high;
    const next = isWithin ? newton : (low + high) / 2;
    if (Math.abs(next - x) < PRECISION) return next;
    x = next;
  }
  return x;
}

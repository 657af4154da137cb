import { createUnknownPast, hazardSinceRecordBegan, type UnknownPast } from "../scoring/unknown-past.ts";
import { ReproducibleSum, ReproducibleSums } from "../statistics/reproducible-sum.ts";
import type { Steps } from "../steps/computation-steps.ts";
import type { LifeOnRecord } from "./calibration-life.ts";

/* The parameters of docs/model/calibration.md#lives-and-frailty. */
const CORRECTION_SD = 0.3;
const HIGHEST_CORRECTION = Math.log(2.5);
const FRAILTY_SHAPES = [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40];
const FRAILTY_RANGE = { lowest: 0.2, highest: 5 };
const ROUNDS = 8;
const SETTLED = 1e-6;
/** Lives per step where each may need an unknown past, which takes some microseconds. */
const PASTS_PER_STEP = 256;
const LIVES_PER_STEP = 2000;

/** The fitted corrections of lives and frailties. */
export type LivesFit = {
  /** y, by kind. */
  corrections: Map<string, number>;
  /** κ; null without frailty. */
  frailtyShape: number | null;
  /** z, by appliance. */
  frailty: Map<string, number>;
  /** Failures by kind, recorded and expected by the fitted model. */
  counts: Map<string, { failures: number; expected: number }>;
};

/** An appliance's record: its failures, and those to expect of its kind. */
export type FailureExperience = { failures: number; expected: number };

/**
 * Fits corrections of lives and frailties of appliances in turn, both from the hazards under the corrections of the round
 * before.
 */
export function* fitLivesInSteps(lives: readonly LifeOnRecord[]): Steps<LivesFit> {
  const record = yield* columnsOf(lives);
  const { kinds, appliances } = record;
  const corrections = new Float64Array(kinds.ids.length);
  const frailties = new Float64Array(appliances.ids.length).fill(1);
  let frailtyShape: number | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const expected = yield* expectFailures(record, corrections, frailties);
    let moved = 0;
    for (const [k, failures] of kinds.failures.entries()) {
      const shape = kinds.shapes[k]!;
      const exposure = expected.ofKinds[k]! * Math.exp(shape * corrections[k]!);
      const correction = fitLifeCorrection(failures, exposure, shape);
      moved = Math.max(moved, Math.abs(correction - corrections[k]!));
      corrections[k] = correction;
    }
    const experience = appliances.failures.map((failures, a) => ({
      failures,
      expected: expected.ofAppliances[a]!,
    }));
    const shape = yield* fitFrailtyShapeInSteps(experience);
    if (shape !== frailtyShape) moved = Number.POSITIVE_INFINITY;
    frailtyShape = shape;
    for (const [a, one] of experience.entries()) {
      const frailty = estimateFrailty(one, frailtyShape);
      moved = Math.max(moved, Math.abs(frailty - frailties[a]!));
      frailties[a] = frailty;
    }
    if (moved < SETTLED) break;
  }
  const { ofKinds } = yield* expectFailures(record, corrections, frailties);
  const byKind = <T>(pick: (k: number) => T) => new Map(kinds.ids.map((id, k) => [id, pick(k)]));
  return {
    corrections: byKind((k) => corrections[k]!),
    frailtyShape,
    frailty: new Map(appliances.ids.map((id, a) => [id, frailties[a]!])),
    counts: byKind((k) => ({ failures: kinds.failures[k]!, expected: ofKinds[k]! })),
  };
}

/** The lives as columns, since every round iterates all of them. Kinds, appliances and pasts are indexes. */
type Columns = {
  kinds: { ids: string[]; shapes: number[]; failures: number[] };
  appliances: { ids: string[]; failures: number[] };
  /** Unknown pasts, with t/η before any correction. Parts of one kind registered together share one. */
  pasts: { kinds: number[]; nominalAges: number[] };
  kindOf: Int32Array;
  applianceOf: Int32Array;
  /** -1 for a known past. */
  pastOf: Int32Array;
  /** Virtual age when the record begins and accrued on record, in units of η before any correction. */
  entryAges: Float64Array;
  accrued: Float64Array;
};

function* columnsOf(lives: readonly LifeOnRecord[]): Steps<Columns> {
  const columns: Columns = {
    kinds: { ids: [], shapes: [], failures: [] },
    appliances: { ids: [], failures: [] },
    pasts: { kinds: [], nominalAges: [] },
    kindOf: new Int32Array(lives.length),
    applianceOf: new Int32Array(lives.length),
    pastOf: new Int32Array(lives.length).fill(-1),
    entryAges: new Float64Array(lives.length),
    accrued: new Float64Array(lives.length),
  };
  const { kinds, appliances, pasts } = columns;
  const kindPlaces = new Map<string, number>();
  const appliancePlaces = new Map<string, number>();
  const pastPlaces: Map<number, number>[] = [];
  for (let i = 0; i < lives.length; i++) {
    const { defId, applianceId, shape, scale, entryAge, accrued, pastIsUnknown, failed } = lives[i]!;
    const kind = placeIn(kindPlaces, defId, kinds.ids);
    const appliance = placeIn(appliancePlaces, applianceId, appliances.ids);
    kinds.shapes[kind] = shape;
    kinds.failures[kind] = (kinds.failures[kind] ?? 0) + (failed ? 1 : 0);
    appliances.failures[appliance] = (appliances.failures[appliance] ?? 0) + (failed ? 1 : 0);
    columns.kindOf[i] = kind;
    columns.applianceOf[i] = appliance;
    columns.entryAges[i] = entryAge / scale;
    columns.accrued[i] = accrued / scale;
    if (pastIsUnknown) {
      pastPlaces[kind] ??= new Map();
      const past = placeIn(pastPlaces[kind], entryAge / scale, pasts.nominalAges);
      pasts.kinds[past] = kind;
      columns.pastOf[i] = past;
    }
    if (i % LIVES_PER_STEP === 0) yield;
  }
  return columns;
}

/** The place of a key among `keys`, where it is put at the end when it is new. */
function placeIn<Key>(places: Map<Key, number>, key: Key, keys: Key[]): number {
  let place = places.get(key);
  if (place === undefined) {
    place = keys.push(key) - 1;
    places.set(key, place);
  }
  return place;
}

/** Returns the expected failures under the current corrections: of appliances without frailty, of kinds with it. */
function* expectFailures(
  columns: Columns,
  corrections: Float64Array,
  frailties: Float64Array,
): Steps<{ ofKinds: Float64Array; ofAppliances: Float64Array }> {
  const { kinds, appliances, kindOf, applianceOf, pastOf, entryAges, accrued } = columns;
  const ofKinds = new ReproducibleSums(kinds.ids.length);
  const ofAppliances = new ReproducibleSums(appliances.ids.length);
  const factors = corrections.map(Math.exp);
  const pasts = yield* pastsUnder(columns, factors);
  for (let i = 0; i < kindOf.length; i++) {
    const kind = kindOf[i]!;
    const appliance = applianceOf[i]!;
    const past = pastOf[i]!;
    const factor = factors[kind]!;
    const shape = kinds.shapes[kind]!;
    const entry = entryAges[i]! / factor;
    const since = accrued[i]! / factor;
    const hazard =
      past >= 0 ? hazardSinceRecordBegan(pasts[past]!, since) : (entry + since) ** shape - entry ** shape;
    ofKinds.add(kind, frailties[appliance]! * hazard);
    ofAppliances.add(appliance, hazard);
    if (i % PASTS_PER_STEP === 0) yield;
  }
  return { ofKinds: ofKinds.values(), ofAppliances: ofAppliances.values() };
}

function* pastsUnder({ kinds, pasts }: Columns, factors: Float64Array): Steps<readonly UnknownPast[]> {
  const made: UnknownPast[] = [];
  for (const [i, nominalAge] of pasts.nominalAges.entries()) {
    const kind = pasts.kinds[i]!;
    made.push(createUnknownPast(kinds.shapes[kind]!, nominalAge / factors[kind]!));
    if (i % PASTS_PER_STEP === 0) yield;
  }
  return made;
}

/**
 * Returns the y that maximizes −β·y·D − E·exp(−β·y) − y²/(2·0.3²) within its limits. The function is strictly concave, so
 * Newton's method within a bracket finds it.
 */
export function fitLifeCorrection(failures: number, exposure: number, shape: number): number {
  const slope = (y: number) =>
    -shape * failures + shape * exposure * Math.exp(-shape * y) - y / CORRECTION_SD ** 2;
  let [low, high] = [-HIGHEST_CORRECTION, HIGHEST_CORRECTION];
  if (slope(low) <= 0) return low;
  if (slope(high) >= 0) return high;
  let y = 0;
  for (let step = 0; step < 100; step++) {
    const gradient = slope(y);
    if (gradient > 0) low = y;
    else high = y;
    const curvature = -(shape ** 2) * exposure * Math.exp(-shape * y) - 1 / CORRECTION_SD ** 2;
    const newton = y - gradient / curvature;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - y) < 1e-14) return next;
    y = next;
  }
  return y;
}

/** Returns the κ of the highest marginal likelihood; null if no frailty is more likely than any. */
export function* fitFrailtyShapeInSteps(appliances: readonly FailureExperience[]): Steps<number | null> {
  const logLikelihoods = [null, ...FRAILTY_SHAPES].map((shape) => ({ shape, sum: new ReproducibleSum() }));
  for (const [i, appliance] of appliances.entries()) {
    for (const { shape, sum } of logLikelihoods) sum.add(frailtyLogLikelihood(appliance, shape));
    if (i % PASTS_PER_STEP === 0) yield;
  }
  return logLikelihoods.reduce((best, other) => (other.sum.value > best.sum.value ? other : best)).shape;
}

/** Returns lnΓ(κ+d) − lnΓ(κ) + κ·ln κ − (κ+d)·ln(κ+e), or −e without frailty. */
function frailtyLogLikelihood({ failures, expected }: FailureExperience, shape: number | null): number {
  if (shape === null) return -expected;
  // −(κ+d)·ln(κ+e) + κ·ln κ, without loss of digits for a small e
  let sum = -shape * Math.log1p(expected / shape) - failures * Math.log(shape + expected);
  for (let i = 0; i < failures; i++) sum += Math.log(shape + i);
  return sum;
}

/** Returns z = (κ+d)/(κ+e) within its limits; 1 without frailty. */
export function estimateFrailty({ failures, expected }: FailureExperience, shape: number | null): number {
  if (shape === null) return 1;
  const frailty = (shape + failures) / (shape + expected);
  return Math.min(FRAILTY_RANGE.highest, Math.max(FRAILTY_RANGE.lowest, frailty));
}

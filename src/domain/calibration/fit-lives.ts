import { expectedHazard, UnknownPastsOfRound } from "./expected-hazard.ts";
import type { Life } from "./life.ts";
import { OrderFreeSum } from "./order-free-sum.ts";

/** The numbers of `scoring.md` §8.3. */
const CORRECTION_SD = 0.3;
const HIGHEST_CORRECTION = Math.log(2.5);
const FRAILTY_SHAPES = [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40];
const FRAILTY_RANGE = { lowest: 0.2, highest: 5 };
const ROUNDS = 8;
const SETTLED = 1e-6;
/** Lives between two points at which others may have their turn. */
const CHUNK = 64;

export type LivesFit = {
  /** y by kind. */
  corrections: Map<string, number>;
  frailtyShape: number | null;
  /** z by appliance. */
  frailty: Map<string, number>;
  /** Failures by kind, and those to expect of the fitted model. */
  counts: Map<string, { failures: number; expected: number }>;
};

/** What an appliance's own record says of it: failures, and those to expect of its kind. */
export type Experience = { failures: number; expected: number };

/**
 * Corrections of lives and frailties of appliances in turn, both from the hazards under the corrections of the round
 * before. Yields between two pieces of work.
 */
export function* fitLives(lives: readonly Life[]): Generator<void, LivesFit> {
  const kinds = new Map<string, Kind>();
  const appliances = new Map<string, Appliance>();
  const members = lives.map((life) => {
    const kind = kinds.get(life.defId) ?? newKind(kinds, life);
    const appliance = appliances.get(life.applianceId) ?? newAppliance(appliances, life);
    if (life.failed) {
      kind.failures++;
      appliance.failures++;
    }
    return { life, kind, appliance };
  });
  let frailtyShape: number | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    yield* workOutExpected(members, kinds, appliances);
    let moved = 0;
    for (const kind of kinds.values()) {
      const { failures, expected, shape } = kind;
      const exposure = expected.value * Math.exp(shape * kind.correction);
      const correction = fitCorrection(failures, exposure, shape);
      moved = Math.max(moved, Math.abs(correction - kind.correction));
      kind.correction = correction;
    }
    const experience = [...appliances.values()].map(experienceOf);
    const shape = yield* fitFrailtyShape(experience);
    if (shape !== frailtyShape) moved = Number.POSITIVE_INFINITY;
    frailtyShape = shape;
    for (const appliance of appliances.values()) {
      const frailty = frailtyOf(experienceOf(appliance), frailtyShape);
      moved = Math.max(moved, Math.abs(frailty - appliance.frailty));
      appliance.frailty = frailty;
    }
    if (moved < SETTLED) break;
  }
  yield* workOutExpected(members, kinds, appliances);
  return {
    corrections: new Map([...kinds].map(([id, { correction }]) => [id, correction])),
    frailtyShape,
    frailty: new Map([...appliances].map(([id, { frailty }]) => [id, frailty])),
    counts: new Map(
      [...kinds].map(([id, { failures, expected }]) => [id, { failures, expected: expected.value }]),
    ),
  };
}

type Member = { life: Life; kind: Kind; appliance: Appliance };

/** The failures to expect, under the present corrections: of appliances without, of kinds with their frailty. */
function* workOutExpected(
  members: readonly Member[],
  kinds: ReadonlyMap<string, Kind>,
  appliances: ReadonlyMap<string, Appliance>,
): Generator<void, void> {
  for (const kind of kinds.values()) kind.expected = new OrderFreeSum();
  for (const appliance of appliances.values()) appliance.expected = new OrderFreeSum();
  const pasts = new UnknownPastsOfRound();
  for (const [i, { life, kind, appliance }] of members.entries()) {
    const hazard = expectedHazard(life, life.accrued, kind.correction, pasts);
    kind.expected.add(appliance.frailty * hazard);
    appliance.expected.add(hazard);
    if (i % CHUNK === 0) yield;
  }
}

type Kind = {
  shape: number;
  failures: number;
  correction: number;
  expected: OrderFreeSum;
};
type Appliance = { failures: number; expected: OrderFreeSum; frailty: number };

function newKind(kinds: Map<string, Kind>, { defId, shape }: Life): Kind {
  const kind = {
    shape,
    failures: 0,
    correction: 0,
    expected: new OrderFreeSum(),
  };
  kinds.set(defId, kind);
  return kind;
}

function newAppliance(appliances: Map<string, Appliance>, { applianceId }: Life): Appliance {
  const appliance = { failures: 0, expected: new OrderFreeSum(), frailty: 1 };
  appliances.set(applianceId, appliance);
  return appliance;
}

const experienceOf = ({ failures, expected }: Appliance): Experience => ({
  failures,
  expected: expected.value,
});

/**
 * The y that maximises −β·y·D − E·exp(−β·y) − y²/(2·0.3²), within its limits. The function is strictly concave, so
 * Newton's method, kept within a bracket, finds it.
 */
export function fitCorrection(failures: number, exposure: number, shape: number): number {
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

/** The κ of the highest marginal likelihood; null where no frailty at all is likelier than any. */
export function* fitFrailtyShape(appliances: readonly Experience[]): Generator<void, number | null> {
  const logLikelihoods = [null, ...FRAILTY_SHAPES].map((shape) => ({ shape, sum: new OrderFreeSum() }));
  for (const [i, appliance] of appliances.entries()) {
    for (const { shape, sum } of logLikelihoods) sum.add(frailtyLogLikelihood(appliance, shape));
    if (i % CHUNK === 0) yield;
  }
  return logLikelihoods.reduce((best, other) => (other.sum.value > best.sum.value ? other : best)).shape;
}

/** lnΓ(κ+d) − lnΓ(κ) + κ·ln κ − (κ+d)·ln(κ+e), or −e without frailty. */
function frailtyLogLikelihood({ failures, expected }: Experience, shape: number | null): number {
  if (shape === null) return -expected;
  // −(κ+d)·ln(κ+e) + κ·ln κ, written so that a small e loses no digits
  let sum = -shape * Math.log1p(expected / shape) - failures * Math.log(shape + expected);
  for (let i = 0; i < failures; i++) sum += Math.log(shape + i);
  return sum;
}

/** z = (κ+d)/(κ+e), within its limits; 1 without frailty. */
export function frailtyOf({ failures, expected }: Experience, shape: number | null): number {
  if (shape === null) return 1;
  const frailty = (shape + failures) / (shape + expected);
  return Math.min(FRAILTY_RANGE.highest, Math.max(FRAILTY_RANGE.lowest, frailty));
}

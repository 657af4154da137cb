import type { Steps } from "../steps.ts";
import { forEachPart } from "./exact-losses.ts";
import { GroupSums } from "./group-sums.ts";
import { Stencil } from "./hazard-grid.ts";
import { failureMoments, type LossBook } from "./loss-book.ts";
import { LOSSES, type Loss } from "./loss-part.ts";
import { CHUNK_SIZE } from "./part-columns.ts";
import { RandomVariates } from "./random-variates.ts";
import { type Layer, logParameters, type Severity } from "./severity.ts";

const SEED = 2026;
/** Cells of the table of a group's moments by its factor. */
const CELLS = 128;
const YEARS_PER_STEP = 1000;

/** The losses of each simulated year, in cents: with the forecast as it is, and with its error. */
export type SimulatedLoss = { plain: Float64Array; withError: Float64Array };
type SimulatedYears = Record<Loss, SimulatedLoss>;

/** `modelError`: the standard deviation of the logarithm of an error that all hazards of a year share. */
export type SimulationTerms = { years: number; modelError: number };

/**
 * Simulates years of the book's losses from a fixed seed (docs/model/losses.md#simulation). The parts with the largest mean
 * square losses fail one by one. The others of a group have a sum with a gamma distribution, given the group's year factor.
 */
export function* simulateYears(
  book: LossBook,
  { years, modelError }: SimulationTerms,
): Steps<SimulatedYears> {
  const random = new RandomVariates(SEED);
  const empty = (): SimulatedLoss => ({
    plain: new Float64Array(years),
    withError: new Float64Array(years),
  });
  const losses: SimulatedYears = { total: empty(), damage: empty(), insured: empty() };
  const error = new Float64Array(years);
  for (let year = 0; year < years; year++)
    error[year] = Math.exp(modelError * random.normal() - modelError ** 2 / 2);
  const { single, rest } = yield* dividedParts(book);
  const inOrder = book.groups
    .map((group, index) => ({ ...group, index, name: `${group.division} ${group.system}` }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { index, variance } of inOrder) {
    const factors = drawFactors(random, variance, error);
    yield;
    for (const part of single[index]!) {
      simulatePart(random, book.terms.layer, factors, losses, part);
      yield;
    }
    if (!rest[index]!.isEmpty) yield* simulateRest(random, factors, rest[index]!, losses);
  }
  return losses;
}

/** A part that is simulated by itself, for its total cost or for its damage or for both. */
type SinglePart = {
  hazard: number;
  repair: number;
  frequency: number;
  severity: Severity;
  inTotal: boolean;
  inDamage: boolean;
};

/** Divides the parts of each group into those that are simulated one by one and the sums of the others. */
function* dividedParts(book: LossBook): Steps<{ single: SinglePart[][]; rest: GroupSums[] }> {
  const largest = book.largest();
  const [inTotal, inDamage] = [new Set(largest.total), new Set(largest.damage)];
  const single: SinglePart[][] = book.groups.map(() => []);
  for (const place of [...inTotal.union(inDamage)].sort((a, b) => a - b)) {
    const chunk = book.chunks[Math.floor(place / CHUNK_SIZE)]!;
    const at = place % CHUNK_SIZE;
    single[chunk.group[at]!]!.push({
      hazard: chunk.hazard[at]!,
      repair: chunk.repair[at]!,
      frequency: chunk.frequency[at]!,
      severity: book.severities[chunk.severity[at]!]!.severity,
      inTotal: inTotal.has(place),
      inDamage: inDamage.has(place),
    });
  }
  const rest = book.groups.map(() => new GroupSums());
  const stencil = new Stencil();
  yield* forEachPart(book, (chunk, at, place) => {
    const [isTotal, isDamage] = [inTotal.has(place), inDamage.has(place) || chunk.frequency[at] === 0];
    if (isTotal && isDamage) return;
    stencil.locate(chunk.hazard[at]!);
    const moments = failureMoments(book, chunk, at);
    for (let loss = 0; loss < LOSSES.length; loss++)
      if (loss === 0 ? !isTotal : !isDamage) rest[chunk.group[at]!]!.add(stencil, loss, moments[loss]!);
  });
  return { single, rest };
}

/**
 * A group's factors by year, plain and with the error. Components fail at the first event of a Poisson process whose
 * intensity is their hazard, in an operational time in which a year lasts as long as the larger of its two factors.
 */
type Factors = {
  plain: Float64Array;
  withError: Float64Array;
  /** The operational time at which a year begins; and the end. */
  starts: Float64Array;
  /** The year at each of evenly spaced points of the operational time. */
  guide: Uint32Array;
};

function drawFactors(random: RandomVariates, variance: number, error: Float64Array): Factors {
  const years = error.length;
  const shape = 1 / variance;
  const plain = new Float64Array(years);
  const withError = new Float64Array(years);
  const starts = new Float64Array(years + 1);
  for (let year = 0; year < years; year++) {
    plain[year] = variance < LEAST_VARIANCE ? 1 : random.gamma(shape) / shape;
    withError[year] = plain[year]! * error[year]!;
    starts[year + 1] = starts[year]! + Math.max(plain[year]!, withError[year]!);
  }
  const guide = new Uint32Array(years + 1);
  for (let point = 0, year = 0; point <= years; point++) {
    const time = (starts[years]! * point) / years;
    while (year < years - 1 && starts[year + 1]! <= time) year++;
    guide[point] = year;
  }
  return { plain, withError, starts, guide };
}

const LEAST_VARIANCE = 1e-9;

/** Above this hazard it is cheaper to draw for every year than for every event. */
const FREQUENT = 0.7;

function simulatePart(
  random: RandomVariates,
  layer: Layer,
  { plain, withError, starts, guide }: Factors,
  losses: SimulatedYears,
  part: SinglePart,
): void {
  const { hazard } = part;
  const years = plain.length;
  const failure = new FailureCosts(random, layer, losses, part);
  if (hazard > FREQUENT) {
    for (let year = 0; year < years; year++) {
      const time = random.exponential() / hazard;
      const isPlain = time < plain[year]!;
      const isWithError = time < withError[year]!;
      if (isPlain || isWithError) failure.add(year, isPlain, isWithError);
    }
    return;
  }
  const end = starts[years]!;
  const perTime = years / end;
  const mean = 1 / hazard;
  let lastPlain = -1;
  let lastWithError = -1;
  for (let time = random.exponential() * mean; time < end; time += random.exponential() * mean) {
    let year = guide[Math.floor(time * perTime)]!;
    while (starts[year + 1]! <= time) year++;
    const within = time - starts[year]!;
    // A component fails once a year at most.
    const isPlain = within < plain[year]! && lastPlain !== year;
    const isWithError = within < withError[year]! && lastWithError !== year;
    if (isPlain) lastPlain = year;
    if (isWithError) lastWithError = year;
    if (isPlain || isWithError) failure.add(year, isPlain, isWithError);
  }
}

/** Draws what the failures of a part cost, and adds it to the years. */
class FailureCosts {
  readonly #mu: number;
  readonly #sigma: number;
  readonly #top: number;

  constructor(
    private readonly random: RandomVariates,
    private readonly layer: Layer,
    private readonly losses: SimulatedYears,
    private readonly part: SinglePart,
  ) {
    const { mu, sigma } = part.frequency > 0 ? logParameters(part.severity) : { mu: 0, sigma: 0 };
    this.#mu = mu;
    this.#sigma = sigma;
    this.#top = layer.limit ?? Number.POSITIVE_INFINITY;
  }

  add(year: number, isPlain: boolean, isWithError: boolean): void {
    const { random, part, losses } = this;
    const { frequency } = part;
    let count = 0;
    if (frequency > 0) {
      if (part.severity.isPoisson) count = random.poisson(frequency);
      else if (random.uniform() <= frequency) count = 1;
    }
    let damage = 0;
    if (count > 0) {
      let insured = 0;
      for (; count > 0; count--) {
        const amount = Math.exp(this.#mu + this.#sigma * random.normal());
        damage += amount;
        insured += Math.min(Math.max(amount - this.layer.deductible, 0), this.#top);
      }
      if (part.inDamage) {
        if (isPlain) {
          losses.damage.plain[year]! += damage;
          losses.insured.plain[year]! += insured;
        }
        if (isWithError) {
          losses.damage.withError[year]! += damage;
          losses.insured.withError[year]! += insured;
        }
      }
    }
    if (part.inTotal) {
      const total = part.repair + damage;
      if (isPlain) losses.total.plain[year]! += total;
      if (isWithError) losses.total.withError[year]! += total;
    }
  }
}

/** Adds the sums of a group's other parts: gamma, with the mean and variance that they have given the year's factor. */
function* simulateRest(
  random: RandomVariates,
  { plain, withError }: Factors,
  rest: GroupSums,
  losses: SimulatedYears,
): Steps<void> {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const factors of [plain, withError])
    for (const factor of factors) {
      if (factor < low) low = factor;
      if (factor > high) high = factor;
    }
  const cell = (high - low) / CELLS || 1;
  const table = [];
  for (let at = 0; at <= CELLS; at++) {
    table.push(rest.momentsGiven(low + at * cell));
    if (at % 16 === 0) yield;
  }
  for (const [loss, name] of LOSSES.entries()) {
    if (table.every(({ mean }) => mean[loss]! <= 0)) continue;
    const [means, variances] = [
      Float64Array.from(table, ({ mean }) => mean[loss]!),
      Float64Array.from(table, ({ variance }) => variance[loss]!),
    ];
    for (const [factors, sums] of [
      [plain, losses[name].plain],
      [withError, losses[name].withError],
    ] as const)
      for (let year = 0; year < factors.length; year++) {
        if (year % YEARS_PER_STEP === 0) yield;
        const place = (factors[year]! - low) / cell;
        const left = Math.min(Math.floor(place), CELLS - 1);
        const share = place - left;
        const mean = means[left]! + share * (means[left + 1]! - means[left]!);
        const variance = variances[left]! + share * (variances[left + 1]! - variances[left]!);
        if (mean <= 0) continue;
        sums[year]! += variance > 0 ? (random.gamma(mean ** 2 / variance) * variance) / mean : mean;
      }
  }
}

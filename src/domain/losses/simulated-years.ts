import { RandomVariates } from "../statistics/random-variates.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { forEachLossComponentInSteps } from "./exact-losses.ts";
import { failureLossMoments, type LossBook } from "./loss-book.ts";
import { LOSSES, type LossKind } from "./loss-component.ts";
import { CHUNK_SIZE } from "./loss-component-arrays.ts";
import { GroupSums } from "./loss-group-sums.ts";
import { GridStencil } from "./loss-hazard-grid.ts";
import type { SimulatedYearLosses } from "./simulated-year-losses.ts";
import {
  type SimulatedYearFactors,
  type SingleComponent,
  simulateComponents,
} from "./single-component-simulation.ts";

/** The seed of every answer. Another one gives amounts that differ within their standard errors. */
const SEED = 1;
/** Cells of the table of a group's moments by its factor. */
const CELLS = 128;
const YEARS_PER_STEP = 1000;

type SimulatedYears = Record<LossKind, SimulatedYearLosses>;

/** `modelError`: the standard deviation of the logarithm of an error that all hazards of a year share. */
export type SimulationTerms = { years: number; modelError: number; seed?: number };

/**
 * Simulates years of the book's losses from a fixed seed (docs/model/losses.md#simulation). The components with the
 * largest mean square losses fail one by one. The others of a group have a sum with a gamma distribution, given the
 * group's year factor.
 */
export function* simulateYears(
  book: LossBook,
  { years, modelError, seed = SEED }: SimulationTerms,
): Steps<SimulatedYears> {
  const random = new RandomVariates(seed);
  const empty = (): SimulatedYearLosses => ({
    plain: new Float64Array(years),
    withError: new Float64Array(years),
  });
  const damage = empty();
  const { deductible, limit } = book.terms.layer;
  // Without a layer all damage is insured, year by year.
  const insured = deductible === 0 && limit === null ? damage : empty();
  const losses: SimulatedYears = { total: empty(), damage, insured };
  const error = new Float64Array(years);
  for (let year = 0; year < years; year++) {
    error[year] = Math.exp(modelError * random.normal() - modelError ** 2 / 2);
    if (year % YEARS_PER_STEP === 0) yield;
  }
  const { single, rest } = yield* dividedComponents(book);
  const inOrder = book.groups
    .map((group, index) => ({ ...group, index, name: `${group.division} ${group.system}` }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { index, variance } of inOrder) {
    const factors = yield* drawFactors(random, variance, error);
    yield* simulateComponents(single[index]!, { random, layer: book.terms.layer, factors, losses });
    if (!rest[index]!.isEmpty) yield* simulateRest(random, factors, rest[index]!, losses);
  }
  return losses;
}

/** Divides the components of each group into those that are simulated one by one and the sums of the others. */
function* dividedComponents(book: LossBook): Steps<{ single: SingleComponent[][]; rest: GroupSums[] }> {
  const largest = book.largest();
  const [inTotal, inDamage] = [new Set(largest.total), new Set(largest.damage)];
  const single: SingleComponent[][] = book.groups.map(() => []);
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
  yield;
  const rest = book.groups.map(() => new GroupSums());
  const stencil = new GridStencil();
  yield* forEachLossComponentInSteps(book, (chunk, at, place) => {
    const [isTotal, isDamage] = [inTotal.has(place), inDamage.has(place) || chunk.frequency[at] === 0];
    if (isTotal && isDamage) return;
    stencil.locate(chunk.hazard[at]!);
    const moments = failureLossMoments(book, chunk, at);
    for (let loss = 0; loss < LOSSES.length; loss++)
      if (loss === 0 ? !isTotal : !isDamage) rest[chunk.group[at]!]!.add(stencil, loss, moments[loss]!);
  });
  return { single, rest };
}

function* drawFactors(
  random: RandomVariates,
  variance: number,
  error: Float64Array,
): Steps<SimulatedYearFactors> {
  const factors = { plain: new Float64Array(error.length), withError: new Float64Array(error.length) };
  for (let year = 0; year < error.length; year += YEARS_PER_STEP) {
    drawSome(random, variance, error, factors, year);
    yield;
  }
  return factors;
}

/** Draws the factors of a step's years from `from`. */
function drawSome(
  random: RandomVariates,
  variance: number,
  error: Float64Array,
  { plain, withError }: SimulatedYearFactors,
  from: number,
): void {
  const shape = 1 / variance;
  const end = Math.min(from + YEARS_PER_STEP, error.length);
  for (let year = from; year < end; year++) {
    plain[year] = variance < LEAST_VARIANCE ? 1 : random.gamma(shape) / shape;
    withError[year] = plain[year]! * error[year]!;
  }
}

const LEAST_VARIANCE = 1e-9;

/** Adds the sums of a group's other components: gamma, with their mean and variance given the year's factor. */
function* simulateRest(
  random: RandomVariates,
  { plain, withError }: SimulatedYearFactors,
  rest: GroupSums,
  losses: SimulatedYears,
): Steps<void> {
  const { low, high } = rangeOf(plain, withError);
  const cell = (high - low) / CELLS || 1;
  const table = [];
  for (let at = 0; at <= CELLS; at++) {
    table.push(rest.momentsGiven(low + at * cell));
    if (at % 16 === 0) yield;
  }
  for (const [loss, name] of LOSSES.entries()) {
    if (name === "insured" && losses.insured === losses.damage) continue;
    if (table.every(({ mean }) => mean[loss]! <= 0)) continue;
    const moments: MomentsByFactor = {
      low,
      cell,
      means: Float64Array.from(table, ({ mean }) => mean[loss]!),
      variances: Float64Array.from(table, ({ variance }) => variance[loss]!),
    };
    for (let year = 0; year < plain.length; year += YEARS_PER_STEP) {
      addSums(random, moments, { plain, withError }, losses[name], year);
      yield;
    }
  }
}

/** The mean and the variance of a sum at evenly spaced factors from `low`. */
type MomentsByFactor = { low: number; cell: number; means: Float64Array; variances: Float64Array };

/** Adds a gamma sum to each year of a step from `from`. */
function addSums(
  random: RandomVariates,
  { low, cell, means, variances }: MomentsByFactor,
  { plain, withError }: SimulatedYearFactors,
  years: SimulatedYearLosses,
  from: number,
): void {
  const gammas = new Float64Array(2);
  const end = Math.min(from + YEARS_PER_STEP, plain.length);
  for (let year = from; year < end; year++) {
    const place = (plain[year]! - low) / cell;
    const errorPlace = (withError[year]! - low) / cell;
    const mean = valueAt(means, place);
    const meanWithError = valueAt(means, errorPlace);
    const variance = valueAt(variances, place);
    const varianceWithError = valueAt(variances, errorPlace);
    if (variance > 0 && varianceWithError > 0) {
      random.gammaPair(mean ** 2 / variance, meanWithError ** 2 / varianceWithError, gammas);
      years.plain[year]! += (gammas[0]! * variance) / mean;
      years.withError[year]! += (gammas[1]! * varianceWithError) / meanWithError;
    } else {
      years.plain[year]! += mean;
      years.withError[year]! += meanWithError;
    }
  }
}

function rangeOf(plain: Float64Array, withError: Float64Array): { low: number; high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (let year = 0; year < plain.length; year++) {
    low = Math.min(low, plain[year]!, withError[year]!);
    high = Math.max(high, plain[year]!, withError[year]!);
  }
  return { low, high };
}

/** Returns the value of a table at a place between its entries. */
function valueAt(table: Float64Array, place: number): number {
  const left = Math.min(Math.floor(place), CELLS - 1);
  return table[left]! + (place - left) * (table[left + 1]! - table[left]!);
}

import { type Knowledge, SYSTEMS, type System } from "../domain-knowledge.ts";
import {
  countDistributionInterval,
  logProbabilityOfCount,
} from "../statistics/negative-binomial-distribution.ts";
import type { Steps } from "../steps/computation-steps.ts";
import type { FailureYear } from "./failure-years.ts";

/* The limits of docs/model/calibration.md#shared-causes. */
const FEWEST_YEARS = 5;
const FEWEST_FAILURES = 50;
const PRIOR_SD = 1;
/** The learned variance lies within e^±4 of that of the knowledge base, four standard deviations of the prior. */
const REACH = 4;
const GRID = 32;
const SETTLED = 1e-9;
const INTERVAL = [0.05, 0.95] as const;

/** Before: with the variances of the knowledge base. After: with those learned from the other years. */
type Compared<T> = { before: T; after: T };

/** The effect that the failures of one class in a year have in common. */
type ClassCauses = {
  system: System;
  /** Whole calendar years on record, and the failures in them. */
  years: number;
  failures: number;
  expected: number;
  /** The variance of the year factor in the knowledge base, and the one to use. */
  bookVariance: number;
  variance: number;
  isLearned: boolean;
  /** Years whose failures lay outside their 90% interval. */
  outside: Compared<number>;
};

/** A calendar year of all classes and divisions, with the 90% intervals of its failures. */
type CauseYear = {
  year: number;
  failures: number;
  expected: number;
  intervals: Compared<readonly [low: number, high: number]>;
};

/** The shared causes of an operator's record (docs/model/calibration.md#shared-causes). */
export type SharedCauses = {
  classes: readonly ClassCauses[];
  years: readonly CauseYear[];
  outside: Compared<number>;
};

/** Fits the variance of the year factor of each class, and compares each year with what the other years would have said. */
export function* fitSharedCausesInSteps(
  knowledge: Knowledge,
  cells: readonly FailureYear[],
): Steps<SharedCauses> {
  const all = [...new Set(cells.map(({ year }) => year))].sort((a, b) => a - b);
  const after = new Map<System, Map<number, number>>();
  const classes: ClassCauses[] = [];
  for (const system of SYSTEMS) {
    const own = cells.filter((cell) => cell.system === system);
    const { yearFactorVariance: bookVariance } = knowledge.lossClass(system);
    const years = [...new Set(own.map(({ year }) => year))];
    const learned = learnedYearFactorVariance(own, bookVariance);
    yield;
    const ofOthers = new Map<number, number>();
    const outside = { before: 0, after: 0 };
    for (const year of years) {
      const others = own.filter((cell) => cell.year !== year);
      ofOthers.set(year, learnedYearFactorVariance(others, bookVariance) ?? bookVariance);
      const inYear = own.filter((cell) => cell.year === year);
      if (isOutside(inYear, () => bookVariance)) outside.before++;
      if (isOutside(inYear, () => ofOthers.get(year)!)) outside.after++;
      yield;
    }
    after.set(system, ofOthers);
    classes.push({
      system,
      years: years.length,
      failures: failuresOf(own),
      expected: expectedOf(own),
      bookVariance,
      variance: learned ?? bookVariance,
      isLearned: learned !== undefined,
      outside,
    });
  }
  const outside = { before: 0, after: 0 };
  const years: CauseYear[] = [];
  for (const year of all) {
    const inYear = cells.filter((cell) => cell.year === year);
    const before = (system: System) => knowledge.lossClass(system).yearFactorVariance;
    const later = (system: System) => after.get(system)!.get(year)!;
    if (isOutside(inYear, before)) outside.before++;
    if (isOutside(inYear, later)) outside.after++;
    years.push({
      year,
      failures: failuresOf(inYear),
      expected: expectedOf(inYear),
      intervals: { before: intervalOf(inYear, before), after: intervalOf(inYear, later) },
    });
    yield;
  }
  return { classes, years, outside };
}

const failuresOf = (cells: readonly FailureYear[]) => cells.reduce((sum, { failures }) => sum + failures, 0);
const expectedOf = (cells: readonly FailureYear[]) => cells.reduce((sum, { expected }) => sum + expected, 0);

/** Returns the variance of the year factor of a class; undefined with too few years or failures. */
export function learnedYearFactorVariance(
  cells: readonly FailureYear[],
  bookVariance: number,
): number | undefined {
  if (failuresOf(cells) < FEWEST_FAILURES) return undefined;
  if (new Set(cells.map(({ year }) => year)).size < FEWEST_YEARS) return undefined;
  return Math.exp(mostLikely(cells, Math.log(bookVariance)));
}

/** Returns the ln v that maximizes the negative binomial likelihood of the counts, with its prior. */
function mostLikely(cells: readonly FailureYear[], center: number): number {
  const logPosterior = (logVariance: number) => {
    const factorVariance = Math.exp(logVariance);
    let sum = -((logVariance - center) ** 2) / (2 * PRIOR_SD ** 2);
    for (const { failures, expected } of cells)
      sum += logProbabilityOfCount(failures, { mean: expected, factorVariance });
    return sum;
  };
  const step = (2 * REACH) / GRID;
  const pointAt = (n: number) => center - REACH + n * step;
  let [best, highest] = [0, Number.NEGATIVE_INFINITY];
  for (let n = 0; n <= GRID; n++) {
    const value = logPosterior(pointAt(n));
    if (value > highest) [best, highest] = [n, value];
  }
  return goldenSection(logPosterior, pointAt(Math.max(best - 1, 0)), pointAt(Math.min(best + 1, GRID)));
}

/** Returns where a function with one maximum between the ends has it. */
function goldenSection(value: (x: number) => number, from: number, to: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [value(left), value(right)];
  while (high - low > SETTLED)
    if (atLeft > atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = value(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = value(right);
    }
  return (low + high) / 2;
}

/**
 * Returns the 90% interval of the failures of a year: of the negative binomial count with the mean and the variance of the
 * sum over classes and divisions, whose factors are independent.
 */
function intervalOf(
  cells: readonly FailureYear[],
  varianceOf: (system: System) => number,
): readonly [low: number, high: number] {
  const mean = expectedOf(cells);
  const ofFactors = cells.reduce((sum, { system, expected }) => sum + varianceOf(system) * expected ** 2, 0);
  return countDistributionInterval({ mean, factorVariance: ofFactors / mean ** 2 }, INTERVAL);
}

function isOutside(cells: readonly FailureYear[], varianceOf: (system: System) => number): boolean {
  const [low, high] = intervalOf(cells, varianceOf);
  const failures = failuresOf(cells);
  return failures < low || failures > high;
}

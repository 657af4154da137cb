import type { Steps } from "../steps/computation-steps.ts";
import { type ExactLosses, forEachLossComponentInSteps, type GroupYear } from "./exact-losses.ts";
import { failureLossMoments, type LossBook } from "./loss-book.ts";
import { LOSSES, type LossKind } from "./loss-component.ts";
import {
  type ComponentChunk,
  ComponentNumbering,
  LargestComponents,
  NO_SEVERITY,
} from "./loss-component-arrays.ts";
import { GridStencil } from "./loss-hazard-grid.ts";

export const DRIVERS = ["system", "peril", "state", "division", "property", "kind"] as const;
type DriverKind = (typeof DRIVERS)[number];

/** The key of the costs that belong to no peril: emergency repairs. */
export const REPAIR = "repair";
/** The key of the rest, where only the largest are listed. */
export const OTHERS = "others";
/** Properties and kinds are listed up to this number. */
const LISTED = 20;

/** A part of the book's total losses: its expected losses in cents, and its shares. */
export type Driver = {
  by: DriverKind;
  key: string;
  expected: number;
  shareOfExpected: number;
  shareOfVariance: number;
};

/** The expected losses of each property, in cents. */
export type PropertyLosses = {
  ids: readonly string[];
  expected: Float64Array;
  expectedDamage: Float64Array;
};

/** Sums by key. */
type Breakdown = {
  keys: readonly string[];
  expected: ArrayLike<number>;
  covariance: ArrayLike<number>;
};

/** Adds up sums by key. */
class KeyedSums {
  readonly #numbering = new ComponentNumbering<string>();
  readonly expected: number[] = [];
  readonly covariance: number[] = [];

  get keys(): readonly string[] {
    return this.#numbering.keys;
  }

  add(key: string, expected: number, covariance: number): void {
    const index = this.#numbering.indexOf(key);
    this.expected[index] = (this.expected[index] ?? 0) + expected;
    this.covariance[index] = (this.covariance[index] ?? 0) + covariance;
  }
}

/**
 * Divides the expected losses and the variance of a book among its components (Euler allocation: a component's share of
 * the variance is its covariance with the book; D. Tasche, "Capital allocation to business units", 2008). The shares of
 * each kind of driver add up to 1.
 */
export function* lossDriversInSteps(
  book: LossBook,
  exact: ExactLosses,
): Steps<{ drivers: Driver[]; properties: PropertyLosses }> {
  const { expected, standardDeviation } = exact.losses.total;
  const variance = standardDeviation ** 2;
  const count = book.properties.keys.length;
  const sums = {
    property: { expected: new Float64Array(count), covariance: new Float64Array(count) },
    damage: new Float64Array(count),
    kind: keyed(book.kinds.keys.length),
    group: keyed(book.groups.length),
  };
  const repairs = keyed(1);
  const damages = keyed(book.severities.length);
  const stencil = new GridStencil();
  yield* forEachLossComponentInSteps(book, (chunk, at) => {
    const probability = chunk.probability[at]!;
    const repair = chunk.repair[at]!;
    const [total, damage] = failureLossMoments(book, chunk, at);
    const year = exact.groups[chunk.group[at]!]!;
    stencil.locate(chunk.hazard[at]!);
    // The covariance of one dollar of the mean with the group, less what the squared mean takes from the component's own.
    const perMean =
      stencil.interpolate(year.covariances[0]!) - total.mean * stencil.interpolate(year.squaredProbability);
    const ofComponent = probability * total.square + total.mean * perMean;
    const ofDamage = probability * (repair * damage.mean + damage.square) + damage.mean * perMean;
    const expectedOfComponent = probability * total.mean;
    const expectedDamage = probability * damage.mean;
    const property = chunk.property[at]!;
    addTo(sums.property, property, expectedOfComponent, ofComponent);
    sums.damage[property]! += expectedDamage;
    addTo(sums.kind, chunk.kind[at]!, expectedOfComponent, ofComponent);
    addTo(sums.group, chunk.group[at]!, expectedOfComponent, ofComponent);
    addTo(repairs, 0, expectedOfComponent - expectedDamage, ofComponent - ofDamage);
    addTo(damages, chunk.severity[at]!, expectedDamage, ofDamage);
  });
  const breakdowns: Record<DriverKind, Breakdown> = {
    system: yield* regrouped(sums.group, (index) => book.groups[index]!.system),
    peril: yield* perilsOf(book, repairs, damages),
    state: yield* regrouped(sums.property, (index) => book.stateOf[index]!),
    division: yield* regrouped(sums.group, (index) => book.groups[index]!.division),
    property: { keys: book.properties.keys, ...sums.property },
    kind: { keys: book.kinds.keys, ...sums.kind },
  };
  const drivers: Driver[] = [];
  for (const by of DRIVERS) {
    drivers.push(...listed(by, breakdowns[by], expected, variance));
    yield;
  }
  return {
    drivers,
    properties: {
      ids: book.properties.keys,
      expected: sums.property.expected,
      expectedDamage: sums.damage,
    },
  };
}

type Keyed = { expected: Float64Array; covariance: Float64Array };

const keyed = (count: number): Keyed => ({
  expected: new Float64Array(count),
  covariance: new Float64Array(count),
});

function addTo(sums: Keyed, index: number, expected: number, covariance: number): void {
  sums.expected[index]! += expected;
  sums.covariance[index]! += covariance;
}

/** Returns the damage by peril, and the repairs beside it. */
function* perilsOf(book: LossBook, repairs: Keyed, damages: Keyed): Steps<Breakdown> {
  const breakdown = book.count > 0 ? yield* regrouped(repairs, () => REPAIR) : new KeyedSums();
  for (const [index, { severity }] of book.severities.entries()) {
    if (index !== NO_SEVERITY)
      breakdown.add(severity.peril, damages.expected[index]!, damages.covariance[index]!);
    if (index % KEYS_PER_STEP === 0) yield;
  }
  return breakdown;
}

function* regrouped({ expected, covariance }: Keyed, keyOf: (index: number) => string): Steps<KeyedSums> {
  const sums = new KeyedSums();
  for (let index = 0; index < expected.length; index++) {
    sums.add(keyOf(index), expected[index]!, covariance[index]!);
    if (index % KEYS_PER_STEP === 0) yield;
  }
  return sums;
}

const KEYS_PER_STEP = 4096;

/** Returns the drivers of one kind, the largest share of the variance first. */
function listed(by: DriverKind, sums: Breakdown, expected: number, variance: number): Driver[] {
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
  const driver = (key: string, ofExpected: number, ofVariance: number): Driver => ({
    by,
    key,
    expected: ofExpected,
    shareOfExpected: share(ofExpected, expected),
    shareOfVariance: share(ofVariance, variance),
  });
  const count = sums.keys.length;
  const isLong = (by === "property" || by === "kind") && count > LISTED + 1;
  const chosen = isLong ? largestOf(sums.covariance, LISTED) : Array.from({ length: count }, (_, at) => at);
  const list = chosen.map((at) => driver(sums.keys[at]!, sums.expected[at]!, sums.covariance[at]!));
  list.sort((a, b) => b.shareOfVariance - a.shareOfVariance || (a.key < b.key ? -1 : 1));
  if (!isLong) return list;
  const [others, isListed] = [{ expected: 0, covariance: 0 }, new Set(chosen)];
  for (let at = 0; at < count; at++)
    if (!isListed.has(at)) {
      others.expected += sums.expected[at]!;
      others.covariance += sums.covariance[at]!;
    }
  return [...list, driver(OTHERS, others.expected, others.covariance)];
}

/** Returns the places of the largest values. */
function largestOf(values: ArrayLike<number>, count: number): number[] {
  const largest = new LargestComponents(count);
  for (let at = 0; at < values.length; at++) largest.offer(values[at]!, at);
  return largest.places();
}

/** How components of a group vary with a book: the functions of the hazard that `covarianceWithBook` reads, by group. */
export type BookCovarianceTerms = {
  groups: ReadonlyMap<string, Pick<GroupYear, "squaredProbability" | "covariances">>;
  standardDeviation: Record<LossKind, number>;
};

const groupKey = ({ division, system }: { division: string; system: string }) => `${division} ${system}`;

/** Returns what the covariance of a property with its book needs of the book. */
export const bookCovarianceTermsOf = (book: LossBook, exact: ExactLosses): BookCovarianceTerms => ({
  groups: new Map(
    book.groups.map((group, index) => {
      const { squaredProbability, covariances } = exact.groups[index]!;
      return [groupKey(group), { squaredProbability, covariances }];
    }),
  ),
  standardDeviation: {
    total: exact.losses.total.standardDeviation,
    damage: exact.losses.damage.standardDeviation,
    insured: exact.losses.insured.standardDeviation,
  },
});

/** Returns the covariance of a loss of the components with that of the book that contains them, in cents squared. */
export function* covarianceWithBook(
  variation: BookCovarianceTerms,
  components: LossBook,
  loss: LossKind,
): Steps<number> {
  const index = LOSSES.indexOf(loss);
  const stencil = new GridStencil();
  let covariance = 0;
  const years = components.groups.map((group) => variation.groups.get(groupKey(group)));
  yield* forEachLossComponentInSteps(components, (chunk: ComponentChunk, at) => {
    const year = years[chunk.group[at]!];
    if (!year) return;
    const { mean, square } = failureLossMoments(components, chunk, at)[index]!;
    stencil.locate(chunk.hazard[at]!);
    covariance +=
      chunk.probability[at]! * square -
      mean ** 2 * stencil.interpolate(year.squaredProbability) +
      mean * stencil.interpolate(year.covariances[index]!);
  });
  return covariance;
}

import type { Steps } from "../steps/computation-steps.ts";
import { type ExactLoss, exactLosses, largestDamageExceedance } from "./exact-losses.ts";
import {
  type ExceedancePoint,
  exceedanceCurve,
  sortSimulatedYears,
  type TailAmount,
  tailValueAtRisk,
} from "./exceedance.ts";
import type { LossBook } from "./loss-book.ts";
import { LOSSES, type LossKind } from "./loss-component.ts";
import {
  type BookCovarianceTerms,
  bookCovarianceTermsOf,
  type Driver,
  lossDriversInSteps,
  type PropertyLosses,
} from "./loss-drivers.ts";
import { type SimulationTerms, simulateYears } from "./simulated-years.ts";

/** The simulated years of an answer. */
const SIMULATED_YEARS = 20_000;

/** The losses of the coming year, in cents. */
export type LossDistribution = ExactLoss & {
  exceedance: readonly ExceedancePoint[];
  tailValueAtRisk: TailAmount;
};

export type BookLosses = Record<LossKind, LossDistribution> & {
  components: number;
  /** The expected number of damages. */
  expectedDamages: number;
  largestDamage: readonly { amount: number; probability: number }[];
  drivers: readonly Driver[];
  properties: PropertyLosses;
  variation: BookCovarianceTerms;
};

/** Returns the losses of a book in the coming year (docs/model/losses.md), in steps. */
export function* annualBookLosses(
  book: LossBook,
  {
    years: count = SIMULATED_YEARS,
    modelError,
  }: Partial<SimulationTerms> & Pick<SimulationTerms, "modelError">,
): Steps<BookLosses> {
  const exact = yield* exactLosses(book);
  const probabilities = yield* largestDamageExceedance(book, exact.groups);
  const { drivers, properties } = yield* lossDriversInSteps(book, exact);
  const years = yield* simulateYears(book, { years: count, modelError });
  const distributions: Partial<Record<LossKind, LossDistribution>> = {};
  for (const loss of LOSSES) {
    const sorted = yield* sortSimulatedYears(years[loss]);
    distributions[loss] = {
      ...exact.losses[loss],
      exceedance: exceedanceCurve(sorted),
      tailValueAtRisk: tailValueAtRisk(sorted),
    };
    yield;
  }
  return {
    ...(distributions as Record<LossKind, LossDistribution>),
    components: book.count,
    expectedDamages: exact.expectedDamages,
    largestDamage: book.terms.amounts.map((amount, index) => ({
      amount,
      probability: probabilities[index]!,
    })),
    drivers,
    properties,
    variation: bookCovarianceTermsOf(book, exact),
  };
}

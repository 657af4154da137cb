import type { Steps } from "../steps/computation-steps.ts";
import { failureLossMoments, type LossBook } from "./loss-book.ts";
import { LOSSES, type LossKind } from "./loss-component.ts";
import { type ComponentChunk, NO_SEVERITY } from "./loss-component-arrays.ts";
import { GroupSums, type YearMoments } from "./loss-group-sums.ts";
import { GridStencil, hazardAtGridPoint } from "./loss-hazard-grid.ts";
import {
  type Quadrature,
  survivalOverYearlyHazardFactor,
  yearlyHazardFactorQuadrature,
} from "./yearly-hazard-factor.ts";

/** Components of one step. */
const PARTS_PER_STEP = 512;

/** Calls `visit` for each component with its place, in steps. */
export function* forEachLossComponentInSteps(
  book: LossBook,
  visit: (chunk: ComponentChunk, at: number, place: number) => void,
): Steps<void> {
  let place = 0;
  for (const chunk of book.chunks)
    for (let at = 0; at < chunk.count; at++) {
      visit(chunk, at, place++);
      if (place % PARTS_PER_STEP === 0) yield;
    }
}

/** A loss of the year, in cents. */
export type ExactLoss = { expected: number; standardDeviation: number };

/** A group's year by its factor: what it adds to the variance of the book, and how components vary with it. */
export type GroupYear = {
  quadrature: Quadrature;
  given: YearMoments[];
  /** Functions of a hazard at the grid points: the mean of the square of the probability of failing in the year, */
  squaredProbability: Float64Array;
  /** and the covariance of that probability with each loss of the group. */
  covariances: Float64Array[];
};

export type ExactLosses = {
  losses: Record<LossKind, ExactLoss>;
  /** The expected number of damages. */
  expectedDamages: number;
  groups: GroupYear[];
};

/** Returns the mean and standard deviation of the year's losses (docs/model/losses.md#exact). */
export function* exactLosses(book: LossBook): Steps<ExactLosses> {
  const sums = book.groups.map(() => new GroupSums());
  const expected = LOSSES.map(() => 0);
  let expectedDamages = 0;
  const stencil = new GridStencil();
  yield* forEachLossComponentInSteps(book, (chunk, at) => {
    const group = sums[chunk.group[at]!]!;
    stencil.locate(chunk.hazard[at]!);
    expectedDamages += chunk.probability[at]! * chunk.frequency[at]!;
    const moments = failureLossMoments(book, chunk, at);
    for (let loss = 0; loss < LOSSES.length; loss++) {
      expected[loss]! += chunk.probability[at]! * moments[loss]!.mean;
      if (moments[loss]!.square > 0 || loss === 0) group.add(stencil, loss, moments[loss]!);
    }
  });
  const variance = LOSSES.map(() => 0);
  const groups: GroupYear[] = [];
  for (const [index, { variance: ofFactor }] of book.groups.entries()) {
    const quadrature = yearlyHazardFactorQuadrature(ofFactor);
    const given = Array.from(quadrature.points, (point) => sums[index]!.momentsGiven(point));
    yield;
    const { points, weights } = quadrature;
    const means = LOSSES.map((_, loss) => weights.reduce((sum, w, k) => sum + w * given[k]!.mean[loss]!, 0));
    for (const [k, weight] of weights.entries())
      for (let loss = 0; loss < LOSSES.length; loss++)
        variance[loss]! += weight * ((given[k]!.mean[loss]! - means[loss]!) ** 2 + given[k]!.variance[loss]!);
    const hazards = Float64Array.from({ length: sums[index]!.end }, (_, point) => hazardAtGridPoint(point));
    const covariances = LOSSES.map(() => new Float64Array(hazards.length));
    for (const [at, hazard] of hazards.entries())
      for (const [k, weight] of weights.entries()) {
        const fails = -Math.expm1(-hazard * points[k]!);
        for (let loss = 0; loss < LOSSES.length; loss++)
          covariances[loss]![at]! += weight * (given[k]!.mean[loss]! - means[loss]!) * fails;
      }
    const squaredProbability = hazards.map(
      (hazard) =>
        1 -
        2 * survivalOverYearlyHazardFactor(hazard, ofFactor) +
        survivalOverYearlyHazardFactor(2 * hazard, ofFactor),
    );
    groups.push({ quadrature, given, squaredProbability, covariances });
    yield;
  }
  const lossOf = (loss: number): ExactLoss => ({
    expected: expected[loss]!,
    standardDeviation: Math.sqrt(Math.max(variance[loss]!, 0)),
  });
  return { expectedDamages, losses: { total: lossOf(0), damage: lossOf(1), insured: lossOf(2) }, groups };
}

/**
 * Returns the probability that the largest single damage of the year exceeds each of the book's amounts. Given the year
 * factors the components are independent, so the probability of no such damage is a product.
 */
export function* largestDamageExceedance(book: LossBook, groups: readonly GroupYear[]): Steps<number[]> {
  const amounts = book.terms.amounts.length;
  const none = groups.map(({ quadrature }) => new Float64Array(quadrature.points.length * amounts).fill(1));
  // Reused: an array for each component would take as long as its computation.
  const exceeds = new Float64Array(amounts);
  yield* forEachLossComponentInSteps(book, (chunk, at) => {
    if (chunk.severity[at] === NO_SEVERITY) return;
    const { severity, exceedance } = book.severities[chunk.severity[at]!]!;
    const frequency = chunk.frequency[at]!;
    const index = chunk.group[at]!;
    const { points } = groups[index]!.quadrature;
    const product = none[index]!;
    for (let amount = 0; amount < amounts; amount++) {
      const damages = frequency * exceedance[amount]!;
      exceeds[amount] = severity.isPoisson ? -Math.expm1(-damages) : damages;
    }
    for (let k = 0; k < points.length; k++) {
      const fails = -Math.expm1(-chunk.hazard[at]! * points[k]!);
      for (let amount = 0; amount < amounts; amount++)
        product[k * amounts + amount]! *= 1 - fails * exceeds[amount]!;
    }
  });
  return book.terms.amounts.map((_, amount) => {
    let noneOfAll = 1;
    for (const [index, { quadrature }] of groups.entries()) {
      // The complements are summed, since the weights add up to 1 only as far as their digits go.
      const oneExceeds = quadrature.weights.reduce(
        (sum, weight, k) => sum + weight * (1 - none[index]![k * amounts + amount]!),
        0,
      );
      noneOfAll *= 1 - Math.min(oneExceeds, 1);
    }
    return 1 - noneOfAll;
  });
}

import { LOSSES } from "./loss-component.ts";
import { GRID_POINTS, type GridStencil, hazardAtGridPoint, STENCIL } from "./loss-hazard-grid.ts";
import type { Moments } from "./loss-severity.ts";

/** The mean and the variance of each loss of a group in a year with a known factor; in the order of `LOSSES`. */
export type YearMoments = { mean: Float64Array; variance: Float64Array };

/** The components of one class in one census division, summed up on a grid of hazards. */
export class GroupSums {
  readonly #mean = LOSSES.map(() => new Float64Array(GRID_POINTS));
  readonly #square = LOSSES.map(() => new Float64Array(GRID_POINTS));
  readonly #meanSquared = LOSSES.map(() => new Float64Array(GRID_POINTS));
  #end = 0;

  /** Adds a component with the hazard of the stencil. The moments are those of the cost of its failure. */
  add(stencil: GridStencil, loss: number, { mean, square }: Moments): void {
    const [means, squares, meansSquared] = [this.#mean[loss]!, this.#square[loss]!, this.#meanSquared[loss]!];
    const { first, weights } = stencil;
    for (let k = 0; k < STENCIL; k++) {
      const weight = weights[k]!;
      means[first + k]! += weight * mean;
      squares[first + k]! += weight * square;
      meansSquared[first + k]! += weight * mean * mean;
    }
    if (first + STENCIL > this.#end) this.#end = first + STENCIL;
  }

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /** The grid points that the components use. */
  get end(): number {
    return this.#end;
  }

  /** Returns the moments of the year with the factor: given it, components fail independently. */
  momentsGiven(factor: number): YearMoments {
    const moments = { mean: new Float64Array(LOSSES.length), variance: new Float64Array(LOSSES.length) };
    for (let point = 0; point < this.#end; point++) {
      const fails = -Math.expm1(-HAZARDS[point]! * factor);
      for (let loss = 0; loss < LOSSES.length; loss++) {
        moments.mean[loss]! += this.#mean[loss]![point]! * fails;
        moments.variance[loss]! +=
          (this.#square[loss]![point]! - this.#meanSquared[loss]![point]! * fails) * fails;
      }
    }
    return moments;
  }
}

const HAZARDS = Float64Array.from({ length: GRID_POINTS }, (_, point) => hazardAtGridPoint(point));

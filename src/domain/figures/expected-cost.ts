import { gammaQuantile } from "../statistics/gamma-distribution.ts";
import type { FailureCost } from "./failure-cost.ts";

/** The expected cost of the failures of some days, in cents; not rounded. */
export type ExpectedCost = {
  failures: number;
  mean: number;
  /** The amounts that the cost stays below with a probability of 10% and of 90%. */
  low: number;
  high: number;
};

const TAIL = 0.1;

/** Sums up what the failures of independent components within a period cost (docs/model/figures.md#expected-cost). */
export class ExpectedCostAccumulator {
  #failures = 0;
  #mean = 0;
  #variance = 0;
  #logNoFailure = 0;

  /** Adds a component that fails with the probability. */
  add(probability: number, cost: FailureCost): void {
    const expected = probability * cost.mean;
    this.#failures += probability;
    this.#mean += expected;
    this.#variance += probability * cost.meanSquare - expected ** 2;
    this.#logNoFailure += Math.log1p(-probability);
  }

  get expected(): ExpectedCost {
    const mean = this.#mean;
    const quantile = (probability: number) => gammaQuantile(probability, mean, this.#variance);
    const isQuietLikely = this.#logNoFailure >= Math.log(TAIL);
    return {
      failures: this.#failures,
      mean,
      low: isQuietLikely ? 0 : quantile(TAIL),
      high: quantile(1 - TAIL),
    };
  }
}

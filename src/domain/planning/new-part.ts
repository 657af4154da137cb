import { fourierSpectraOf, type Spectrum } from "../statistics/fourier-spectrum.ts";
import { ComputedPlanValues, hashOfPlanAmounts, type ValueCache } from "./computed-plan-values.ts";
import { LOOKAHEAD_MONTHS, MAX_PLAN_MONTHS } from "./horizon.ts";
import type { PartKind } from "./part-in-place.ts";
import { cumulativeSums, type Renewals, renewalsByFailure, renewalsByPolicy } from "./renewals.ts";
import { type Policy, replacementPolicyOf } from "./replacement-policy.ts";

/** A new part with what plans derive from it. */
export type KnownPart = Renewals & {
  readonly policy: Policy;
  /** The failures of a part that is run to failure; the same array as `failures` if that is the policy. */
  readonly failuresRunToFailure: Float64Array;
  /** The events from the installation to the end of each month of the longest plan. */
  readonly cumulative: Readonly<Record<"failures" | "planned" | "failuresRunToFailure", Float64Array>>;
  /** The spectra of the costs by month, of the policy and of run to failure. */
  readonly spectra: readonly [Spectrum, Spectrum];
  /** Returns the cost of failures and planned renewals by month, in cents. */
  readonly costs: Float64Array;
  costsRunToFailure(): Float64Array;
  /** The costs from the installation to the end of each month. */
  readonly costsUntil: Float64Array;
  /** The least cost of a month from each month on. */
  readonly leastCosts: Float64Array;
  /** The least cost of a month in each year since the installation. */
  readonly leastCostsByYear: Float64Array;
};

/** Returns the new part of a kind, from the cache if possible. */
export function newPartOf(kind: PartKind, { parts }: { parts: ValueCache<PartKind, KnownPart> }): KnownPart {
  const found = parts.get(kind);
  if (found) return found;
  const { shape, scaleYears, plannedCents, failureCents, fixedLifeYears, safety } = kind;
  const own = { shape, scaleYears, plannedCents, failureCents, fixedLifeYears, safety };
  const made = new DerivedPart(own);
  parts.set(own, made);
  return made;
}

/** Keeps the new parts of so many kinds. */
export const cacheOfNewParts = (most: number) =>
  new ComputedPlanValues<PartKind, KnownPart>(most, {
    hash: ({ scaleYears, failureCents, plannedCents }) =>
      hashOfPlanAmounts(scaleYears, failureCents, plannedCents),
    isSame: (one, other) =>
      one.scaleYears === other.scaleYears &&
      one.failureCents === other.failureCents &&
      one.plannedCents === other.plannedCents &&
      one.shape === other.shape &&
      one.fixedLifeYears === other.fixedLifeYears &&
      one.safety === other.safety,
  });

/**
 * A new part of which more than the policy is computed when it is first needed, and kept: an action needs the policy alone, a
 * part of a unit the spectra, any other the running sums.
 */
class DerivedPart implements KnownPart {
  readonly policy: Policy;
  #renewals: Renewals | undefined;
  #renewalsRunToFailure: Renewals | undefined;
  #cumulative: KnownPart["cumulative"] | undefined;
  #spectra: KnownPart["spectra"] | undefined;
  #costs: Float64Array | undefined;
  #costsUntil: Float64Array | undefined;
  #leastCosts: Float64Array | undefined;
  #leastCostsByYear: Float64Array | undefined;

  constructor(private readonly kind: PartKind) {
    this.policy = replacementPolicyOf(kind);
  }

  get #made() {
    this.#renewals ??= renewalsByPolicy(this.kind, this.policy) ?? this.#madeRunToFailure;
    return this.#renewals;
  }

  get #madeRunToFailure() {
    this.#renewalsRunToFailure ??= renewalsByFailure(this.kind);
    return this.#renewalsRunToFailure;
  }

  get failures() {
    return this.#made.failures;
  }

  get planned() {
    return this.#made.planned;
  }

  get failuresRunToFailure() {
    return this.#madeRunToFailure.failures;
  }

  get #isRunToFailure() {
    return this.failures === this.failuresRunToFailure;
  }

  get costs() {
    if (this.#costs) return this.#costs;
    const { failures, planned } = this;
    const { failureCents, plannedCents } = this.kind;
    const costs = new Float64Array(failures.length);
    for (let month = 1; month < costs.length; month++)
      costs[month] = failures[month]! * failureCents + planned[month]! * plannedCents;
    this.#costs = costs;
    return costs;
  }

  costsRunToFailure() {
    const { failureCents } = this.kind;
    return this.failuresRunToFailure.map((failures) => failures * failureCents);
  }

  get costsUntil() {
    this.#costsUntil ??= cumulativeSums(this.costs, this.costs.length);
    return this.#costsUntil;
  }

  get leastCosts() {
    if (this.#leastCosts) return this.#leastCosts;
    const least = this.costs.slice();
    for (let month = least.length - 2; month >= 0; month--)
      least[month] = Math.min(least[month]!, least[month + 1]!);
    this.#leastCosts = least;
    return least;
  }

  get leastCostsByYear() {
    this.#leastCostsByYear ??= Float64Array.from({ length: LOOKAHEAD_MONTHS / 12 }, (_, year) =>
      Math.min(...this.costs.subarray(12 * year, 12 * year + 12)),
    );
    return this.#leastCostsByYear;
  }

  get cumulative() {
    if (this.#cumulative) return this.#cumulative;
    const sums = (values: Float64Array) => cumulativeSums(values, MAX_PLAN_MONTHS + 1);
    const failures = sums(this.failures);
    this.#cumulative = this.#isRunToFailure
      ? { failures, planned: this.planned, failuresRunToFailure: failures }
      : { failures, planned: sums(this.planned), failuresRunToFailure: sums(this.failuresRunToFailure) };
    return this.#cumulative;
  }

  get spectra() {
    if (this.#spectra) return this.#spectra;
    const { costs } = this;
    if (this.#isRunToFailure) {
      const [both] = fourierSpectraOf(costs, costs);
      this.#spectra = [both, both];
    } else this.#spectra = fourierSpectraOf(costs, this.costsRunToFailure());
    return this.#spectra;
  }
}

import { MAX_PLAN_MONTHS } from "./horizon.ts";
import type { Kind } from "./part.ts";
import type { Policy } from "./policy.ts";
import { cumulative, makeNewPart, type NewPart } from "./renewals.ts";
import { type Spectrum, spectraOf } from "./spectrum.ts";

/** A cache of what depends on kind, life and costs alone. Its creator bounds it. */
export type Cache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
};

/** A new part with what plans derive from it. */
export type KnownPart = NewPart & {
  /** Identifies the kind. */
  readonly key: string;
  /** The events from the installation to the end of each month of the longest plan. */
  readonly cumulative: Readonly<Record<"failures" | "planned" | "failuresRunToFailure", Float64Array>>;
  /** The spectra of the costs by month, of the policy and of run to failure. */
  readonly spectra: readonly [Spectrum, Spectrum];
  /** Returns the cost of failures and planned renewals by month, in cents. */
  costs(): Float64Array;
  costsRunToFailure(): Float64Array;
};

/** Returns the new part of a kind, from the cache if possible. */
export function newPartOf(kind: Kind, { parts }: { parts: Cache<KnownPart> }): KnownPart {
  const { shape, scaleYears, plannedCents, failureCents, fixedLifeYears, safety } = kind;
  const key = `${shape} ${scaleYears} ${plannedCents} ${failureCents} ${fixedLifeYears} ${safety}`;
  const found = parts.get(key);
  if (found) return found;
  const made = new DerivedPart(key, kind, makeNewPart(kind));
  parts.set(key, made);
  return made;
}

/**
 * A new part whose derived rows are computed when they are first needed, and kept if they are used often: a part of a unit needs
 * the spectra, any other the running sums.
 */
class DerivedPart implements KnownPart {
  readonly policy: Policy;
  readonly failures: Float64Array;
  readonly planned: Float64Array;
  readonly failuresRunToFailure: Float64Array;
  readonly #plannedCents: number;
  readonly #failureCents: number;
  #cumulative: KnownPart["cumulative"] | undefined;
  #spectra: KnownPart["spectra"] | undefined;

  constructor(
    readonly key: string,
    { plannedCents, failureCents }: Kind,
    made: NewPart,
  ) {
    this.policy = made.policy;
    this.failures = made.failures;
    this.planned = made.planned;
    this.failuresRunToFailure = made.failuresRunToFailure;
    this.#plannedCents = plannedCents;
    this.#failureCents = failureCents;
  }

  get #isRunToFailure() {
    return this.failures === this.failuresRunToFailure;
  }

  costs() {
    const costs = new Float64Array(this.failures.length);
    for (let month = 1; month < costs.length; month++)
      costs[month] = this.failures[month]! * this.#failureCents + this.planned[month]! * this.#plannedCents;
    return costs;
  }

  costsRunToFailure() {
    return this.failuresRunToFailure.map((failures) => failures * this.#failureCents);
  }

  get cumulative() {
    if (this.#cumulative) return this.#cumulative;
    const sums = (values: Float64Array) => cumulative(values, MAX_PLAN_MONTHS + 1);
    const failures = sums(this.failures);
    this.#cumulative = this.#isRunToFailure
      ? { failures, planned: this.planned, failuresRunToFailure: failures }
      : { failures, planned: sums(this.planned), failuresRunToFailure: sums(this.failuresRunToFailure) };
    return this.#cumulative;
  }

  get spectra() {
    if (this.#spectra) return this.#spectra;
    const costs = this.costs();
    if (this.#isRunToFailure) {
      const [both] = spectraOf(costs, costs);
      this.#spectra = [both, both];
    } else this.#spectra = spectraOf(costs, this.costsRunToFailure());
    return this.#spectra;
  }
}

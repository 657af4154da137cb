import type { Kind } from "./part.ts";
import { type Policy, policyOf } from "./policy.ts";

/** The length of the longest plan. */
export const MAX_PLAN_YEARS = 30;
const MAX_PLAN_MONTHS = 12 * MAX_PLAN_YEARS;

/**
 * The expected events of a new part and all that follow it in its place. Each array has the number of events from the
 * installation to the end of a month, by month.
 */
export type NewPart = {
  policy: Policy;
  failures: Float64Array;
  planned: Float64Array;
  /** Failures under run to failure. */
  failuresRunToFailure: Float64Array;
};

/** A cache of new parts by kind. Its creator bounds it. */
export type NewPartCache = {
  get(key: string): NewPart | undefined;
  set(key: string, value: NewPart): unknown;
};

/** Returns the new part of a kind, from the cache if possible. */
export function newPartOf(kind: Kind, cache: NewPartCache): NewPart {
  const key = `${kind.shape} ${kind.scaleYears} ${kind.plannedCents} ${kind.failureCents}`;
  const found = cache.get(key);
  if (found) return found;
  const made = makeNewPart(kind);
  cache.set(key, made);
  return made;
}

function makeNewPart(kind: Kind): NewPart {
  const policy = policyOf(kind);
  const survival = Float64Array.from({ length: MAX_PLAN_MONTHS + 1 }, (_, month) =>
    Math.exp(-((month / 12 / kind.scaleYears) ** kind.shape)),
  );
  const failuresRunToFailure = runningSum(renewalsOf(lifetimes(survival, MAX_PLAN_MONTHS)));
  const age = policy.bestAgeMonths;
  if (age === null)
    return {
      policy,
      failures: failuresRunToFailure,
      planned: new Float64Array(MAX_PLAN_MONTHS + 1),
      failuresRunToFailure,
    };
  const lives = lifetimes(survival, Math.min(age, MAX_PLAN_MONTHS));
  const planned = new Float64Array(MAX_PLAN_MONTHS + 1);
  if (age <= MAX_PLAN_MONTHS) {
    lives[age]! += survival[age]!;
    planned[age] = survival[age]!;
  }
  const renewals = renewalsOf(lives);
  // The part that a renewal starts reaches the age that many months later, unless it fails.
  for (let month = age + 1; month <= MAX_PLAN_MONTHS; month++)
    planned[month] = renewals[month - age]! * survival[age]!;
  const failures = renewals.map((renewal, month) => renewal - planned[month]!);
  return { policy, failures: runningSum(failures), planned: runningSum(planned), failuresRunToFailure };
}

/** Returns the probability of failing in each month up to `last`, and 0 after it. */
function lifetimes(survival: Float64Array, last: number): Float64Array {
  const lives = new Float64Array(survival.length);
  for (let month = 1; month <= last; month++) lives[month] = survival[month - 1]! - survival[month]!;
  return lives;
}

/** Solves the renewal equation (docs/model/planning.md#capital-schedule): the expected renewals by month. */
function renewalsOf(lives: Float64Array): Float64Array {
  const longest = lives.findLastIndex((share) => share > 0);
  const renewals = new Float64Array(lives.length);
  for (let month = 1; month < lives.length; month++)
    renewals[month] = lives[month]! + convolvedAt(month, lives, renewals, Math.min(longest, month - 1));
  return renewals;
}

/**
 * Returns Σ left[k]·right[index − k] for k = 1 … most. It keeps four sums, since with one each addition waits for the
 * last, which takes twice as long.
 */
export function convolvedAt(index: number, left: Float64Array, right: Float64Array, most: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = 1;
  for (; k + 3 <= most; k += 4) {
    a += left[k]! * right[index - k]!;
    b += left[k + 1]! * right[index - k - 1]!;
    c += left[k + 2]! * right[index - k - 2]!;
    d += left[k + 3]! * right[index - k - 3]!;
  }
  for (; k <= most; k++) a += left[k]! * right[index - k]!;
  return a + b + c + d;
}

function runningSum(values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

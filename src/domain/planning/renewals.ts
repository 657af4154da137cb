import type { Kind } from "./part.ts";
import { type Policy, policyOf } from "./policy.ts";

/** The longest plan. */
export const MAX_PLAN_YEARS = 30;
const MAX_PLAN_MONTHS = 12 * MAX_PLAN_YEARS;

/**
 * What is to be expected of a part of a kind from its first month on, itself and all that follow it in its place. Each
 * row has the number of events up to the end of a month, its index; 0 stands for the moment of installing.
 */
export type NewPart = {
  policy: Policy;
  failures: Float64Array;
  planned: Float64Array;
  /** Failures when every one is run to failure. */
  failuresRunToFailure: Float64Array;
};

/** Where new parts are kept once they are worked out: bounded by whoever makes it. */
export type NewPartCache = {
  get(key: string): NewPart | undefined;
  set(key: string, value: NewPart): unknown;
};

/** The new part of a kind, worked out once. */
export function newPartOf(kind: Kind, known: NewPartCache): NewPart {
  const key = `${kind.shape} ${kind.scaleYears} ${kind.plannedCents} ${kind.failureCents}`;
  const found = known.get(key);
  if (found) return found;
  const made = makeNewPart(kind);
  known.set(key, made);
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
  // Each renewal starts a part that reaches the age, unless it fails, so many months later.
  for (let month = age + 1; month <= MAX_PLAN_MONTHS; month++)
    planned[month] = renewals[month - age]! * survival[age]!;
  const failures = renewals.map((renewal, month) => renewal - planned[month]!);
  return { policy, failures: runningSum(failures), planned: runningSum(planned), failuresRunToFailure };
}

/** The probability of failing in each month up to `last`, 0 after it. */
function lifetimes(survival: Float64Array, last: number): Float64Array {
  const lives = new Float64Array(survival.length);
  for (let month = 1; month <= last; month++) lives[month] = survival[month - 1]! - survival[month]!;
  return lives;
}

/** The renewal equation: a life ends in its month, and what follows it begins there. */
function renewalsOf(lives: Float64Array): Float64Array {
  const longest = lives.findLastIndex((share) => share > 0);
  const renewals = new Float64Array(lives.length);
  for (let month = 1; month < lives.length; month++)
    renewals[month] = lives[month]! + convolvedAt(month, lives, renewals, Math.min(longest, month - 1));
  return renewals;
}

/**
 * Σ left[k]·right[index − k] for k = 1 … most. Four sums at a time: one alone waits for each addition to be done, and
 * takes twice as long.
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

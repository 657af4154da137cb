import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { monthlyFailureProbabilities, newPartSurvival, type PartKind } from "./part-in-place.ts";
import type { Policy } from "./replacement-policy.ts";

/** The expected events of a new part and all that follow it in its place, in each month since its installation. */
export type Renewals = { failures: Float64Array; planned: Float64Array };

const NONE_PLANNED = new Float64Array(LOOKAHEAD_MONTHS + 1);

/** Returns the events of a new part of a kind with its policy; null for run to failure. */
export function renewalsByPolicy(kind: PartKind, { bestAgeMonths: age }: Policy): Renewals | null {
  if (age === null || age > LOOKAHEAD_MONTHS) return null;
  const survival = newPartSurvival(kind, LOOKAHEAD_MONTHS);
  return renewalsByAge(monthlyFailureProbabilities(survival), survival, age);
}

/** Returns the events of a new part of a kind that is run to failure. */
export const renewalsByFailure = (kind: PartKind): Renewals => ({
  failures: solveRenewalEquation(monthlyFailureProbabilities(newPartSurvival(kind, LOOKAHEAD_MONTHS))),
  planned: NONE_PLANNED,
});

/** Returns the expected failures and planned renewals by month, if a new one is replaced at an age in months. */
export function renewalsByAge(lives: Float64Array, survival: Float64Array, age: number): Renewals {
  const ended = lives.slice();
  ended.fill(0, age + 1);
  ended[age]! += survival[age]!;
  const failures = solveRenewalEquation(ended);
  const planned = new Float64Array(lives.length);
  planned[age] = survival[age]!;
  // A part that a renewal installs reaches the age that many months later, unless it fails.
  for (let month = age + 1; month < lives.length; month++)
    planned[month] = failures[month - age]! * survival[age]!;
  for (let month = 1; month < lives.length; month++) failures[month]! -= planned[month]!;
  return { failures, planned };
}

/** Solves the renewal equation (docs/model/planning.md#schedule): the expected renewals by month. */
export function solveRenewalEquation(lives: Float64Array): Float64Array {
  let longest = lives.length - 1;
  while (longest > 0 && !(lives[longest]! > 0)) longest--;
  const renewals = new Float64Array(lives.length);
  for (let month = 1; month < lives.length; month++)
    renewals[month] = lives[month]! + convolutionAt(month, lives, renewals, Math.min(longest, month - 1));
  return renewals;
}

/**
 * Returns Σ left[k]·right[index − k] for k = 1 … most. It keeps four sums, since with one each addition waits for the
 * last, which takes twice as long.
 */
export function convolutionAt(index: number, left: Float64Array, right: Float64Array, most: number): number {
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

/** Returns the running sum of the first `length` values. */
export function cumulativeSums(values: Float64Array, length = values.length): Float64Array {
  const sums = new Float64Array(length);
  let sum = 0;
  for (let index = 0; index < length; index++) sums[index] = sum += values[index]!;
  return sums;
}

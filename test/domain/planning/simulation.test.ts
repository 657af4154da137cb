import { expect, test } from "bun:test";
import fc from "fast-check";
import { costVarianceByYear } from "../../../src/domain/planning/cost-variance.ts";
import { levelDepositOf } from "../../../src/domain/planning/level-deposit.ts";
import { lifespanYearsOf, type PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import type { PartPlan } from "../../../src/domain/planning/plan.ts";
import { anyPart, dearPart, yearsOf } from "./parts.ts";
import { anyUnit, type DrawnUnit, scheduleOfUnit } from "./units.ts";

const HISTORIES = 20_000;
const YEARS = 10;

/** Returns a generator of numbers from 0 to 1 from a seed (Mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws the years until a part of this age and hazard ratio fails: the cumulative hazard of a life is exponential. */
function drawLife(
  { shape, scaleYears }: PartInPlace,
  age: number,
  hazardRatio: number,
  next: () => number,
): number {
  const hazard = (age / scaleYears) ** shape - Math.log(1 - next()) / hazardRatio;
  return scaleYears * hazard ** (1 / shape) - age;
}

/**
 * Returns the months in which a part and its successors end, up to `last`, and whether each fails. A failure counts in its
 * month, and the new part starts at the end of that month.
 */
function* endsOf(part: PartInPlace, policy: Policy, last: number, next: () => number) {
  let month = 0;
  let due = policy.dueMonth;
  let life = drawLife(part, part.ageYears, part.hazardRatio, next);
  while (true) {
    const failsIn = due === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(12 * life));
    const fails = failsIn <= due;
    month += fails ? failsIn : Math.max(due, 1);
    if (month > last) return;
    yield { month, fails };
    due = policy.ageMonths;
    life = drawLife(part, 0, 1, next);
  }
}

/** When a part in place is due, and the age at which its successors are replaced, in months. */
type Policy = { dueMonth: number; ageMonths: number };
const RUN_TO_FAILURE: Policy = {
  dueMonth: Number.POSITIVE_INFINITY,
  ageMonths: Number.POSITIVE_INFINITY,
};
const policyOf = ({ dueInYears, bestAgeMonths }: PartPlan): Policy => ({
  dueMonth: Math.ceil(12 * (dueInYears ?? Number.POSITIVE_INFINITY)),
  ageMonths: bestAgeMonths ?? Number.POSITIVE_INFINITY,
});

/** Returns the cost of each year in one history of a part. */
function liveThrough(part: PartInPlace, policy: Policy, next: () => number): Float64Array {
  const costs = new Float64Array(YEARS);
  for (const { month, fails } of endsOf(part, policy, 12 * YEARS, next))
    costs[Math.ceil(month / 12) - 1]! += fails ? part.failureCents : part.plannedCents;
  return costs;
}

/**
 * Returns the cost of each year in one history of a unit with its parts. A repair in the month in which the unit fails counts
 * half, since it comes before or after the failure.
 */
function liveThroughUnit(
  { parts: [principal, ...minors], whole }: DrawnUnit,
  policy: Policy,
  minorPolicies: readonly Policy[],
  next: () => number,
): Float64Array {
  const costs = new Float64Array(YEARS);
  const add = (month: number, cents: number) => {
    costs[Math.ceil(month / 12) - 1]! += cents;
  };
  let [from, isFirst] = [0, true];
  const ends = [...endsOf(principal!, policy, 12 * YEARS, next)];
  for (const { month, fails } of [...ends, { month: 12 * YEARS + 1, fails: false }]) {
    const isReplacedNow = isFirst && policy.dueMonth === 0;
    for (const [index, minor] of minors.entries()) {
      if (isReplacedNow) continue;
      const part = isFirst ? minor : { ...minor, ageYears: 0, hazardRatio: 1 };
      const own = minorPolicies[index]!;
      const last = Math.min(month, 12 * YEARS) - from;
      for (const end of endsOf(part, isFirst ? own : { ...own, dueMonth: own.ageMonths }, last, next)) {
        const share = fails && from + end.month === month ? 0.5 : 1;
        add(from + end.month, share * (end.fails ? minor.failureCents : minor.plannedCents));
      }
    }
    if (month > 12 * YEARS) break;
    add(month, fails ? whole.failedPriceCents : whole.priceCents);
    [from, isFirst] = [month, false];
  }
  return costs;
}

/** Compares the mean of simulated histories with expected costs by year. */
function expectSimulated(expected: ArrayLike<number>, live: () => Float64Array): void {
  const mean = new Float64Array(YEARS);
  const square = new Float64Array(YEARS);
  for (let n = 0; n < HISTORIES; n++) {
    const costs = live();
    for (let year = 0; year < YEARS; year++) {
      mean[year]! += costs[year]! / HISTORIES;
      square[year]! += costs[year]! ** 2 / HISTORIES;
    }
  }
  for (let year = 0; year < YEARS; year++) {
    const error = Math.sqrt(Math.max(0, square[year]! - mean[year]! ** 2) / HISTORIES);
    expect(Math.abs(mean[year]! - expected[year]!)).toBeLessThanOrEqual(3 * error + 1);
  }
}

for (const [name, kind, seed] of [
  ["replaced by age", dearPart, 11],
  ["of any kind", anyPart, 12],
] as const)
  for (const [index, drawn] of fc.sample(kind, { seed, numRuns: 2 }).entries()) {
    // Lives short enough for several within the years, and much longer than a month.
    const part = { ...drawn, scaleYears: 2 + (drawn.scaleYears % 12) };
    const years = lifespanYearsOf(part).toFixed(1);
    // Rule: plan-simulation
    test(`${HISTORIES} simulated histories of a part ${name}, life ${years} years, seed ${seed}.${index}, cost what is expected`, () => {
      const { sums, plans } = yearsOf([part], YEARS);
      const next = random(seed * 1000 + index);
      const total = sums.planned.map((planned, year) => planned + sums.failures[year]!);
      expectSimulated(total, () => liveThrough(part, policyOf(plans[0]!), next));
      expectSimulated(sums.runToFailure, () => liveThrough(part, RUN_TO_FAILURE, next));
    });
  }

// Rule: plan-simulation
for (const [index, unit] of fc.sample(anyUnit, { seed: 13, numRuns: 4 }).entries())
  test(`${HISTORIES} simulated histories of a unit with ${unit.parts.length - 1} minor parts, seed 13.${index}, cost what is expected`, () => {
    const { plan, schedule } = scheduleOfUnit(unit, YEARS);
    const { dueInMonths, bestAgeMonths } = plan.unit!;
    const next = random(13_000 + index);
    const policy = {
      dueMonth: dueInMonths ?? Number.POSITIVE_INFINITY,
      ageMonths: bestAgeMonths === 480 ? Number.POSITIVE_INFINITY : bestAgeMonths,
    };
    const minors = plan.parts.slice(1).map(policyOf);
    const total = schedule.planned.map(
      (planned, year) => planned + schedule.failures[year]! + schedule.repairs[year]!,
    );
    expectSimulated(total, () => liveThroughUnit(unit, policy, minors, next));
    const toFailure = minors.map(() => RUN_TO_FAILURE);
    expectSimulated(schedule.runToFailure, () => liveThroughUnit(unit, RUN_TO_FAILURE, toFailure, next));
  });

// Rule: plan-simulation
test("a deposit covers the year that binds about as often as it says, and all years together less often", () => {
  const next = random(14);
  // Parts in the middle of their lives, whose costs are known but for the year.
  const parts = fc.sample(anyPart, { seed: 14, numRuns: 40 }).map((drawn): PartInPlace => {
    const scaleYears = 4 + (drawn.scaleYears % 25);
    const plannedCents = 5_000 + drawn.plannedCents;
    const failureCents = plannedCents * (1.2 + 1.5 * next());
    return {
      ...drawn,
      scaleYears,
      plannedCents,
      failureCents,
      ageYears: scaleYears * next(),
      hazardRatio: 1,
    };
  });
  const { sums, plans } = yearsOf(parts, YEARS);
  const policies = plans.map(policyOf);
  const dueNow = parts.reduce(
    (sum, { plannedCents }, at) => sum + (policies[at]!.dueMonth === 0 ? plannedCents : 0),
    0,
  );
  const needs = {
    cents: Array.from(sums.planned, (planned, at) => planned + sums.failures[at]! - (at === 0 ? dueNow : 0)),
    variance: costVarianceByYear(sums, YEARS, 0, 0),
    costError: Array.from(sums.planned, () => 0),
  };
  const funding = { openingCents: 0, interest: 0, minimumCents: 0, depositGrowth: 0 };
  const deposits = levelDepositOf(needs, funding);
  const histories = 1000;
  const shares = { 50: new Array<number>(YEARS).fill(0), 80: new Array<number>(YEARS).fill(0) };
  const together = { 50: 0, 80: 0 };
  for (let n = 0; n < histories; n++) {
    const costs = new Float64Array(YEARS);
    costs[0] = -dueNow;
    for (const [at, part] of parts.entries())
      for (const [year, cents] of liveThrough(part, policies[at]!, next).entries()) costs[year]! += cents;
    for (const confidence of [50, 80] as const) {
      let balance = 0;
      let isCovered = true;
      for (const [year, cents] of costs.entries()) {
        balance += deposits[confidence].noise - cents;
        if (balance >= 0) shares[confidence][year]! += 1 / histories;
        else isCovered = false;
      }
      if (isCovered) together[confidence] += 1 / histories;
    }
  }
  expect(Math.min(...shares[50])).toBeWithin(0.44, 0.66);
  expect(Math.min(...shares[80])).toBeWithin(0.72, 0.88);
  expect(together[50]).toBeLessThan(0.4);
  expect(together[80]).toBeLessThan(Math.min(...shares[80]));
});

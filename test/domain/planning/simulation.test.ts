import { expect, test } from "bun:test";
import fc from "fast-check";
import { lifespanYearsOf, type Part } from "../../../src/domain/planning/part.ts";
import type { PartPlan } from "../../../src/domain/planning/plan.ts";
import { anyPart, dearPart, yearsOf } from "./parts.ts";

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
function drawLife({ shape, scaleYears }: Part, age: number, hazardRatio: number, next: () => number): number {
  const hazard = (age / scaleYears) ** shape - Math.log(1 - next()) / hazardRatio;
  return scaleYears * hazard ** (1 / shape) - age;
}

/**
 * Returns the cost of each year in one history. A failure counts in its month, and the new part starts at the end of that
 * month. Without a plan everything is run to failure.
 */
function liveThrough(part: Part, plan: PartPlan | undefined, next: () => number): Float64Array {
  const age = plan?.bestAgeMonths ?? Infinity;
  const costs = new Float64Array(YEARS);
  let month = 0;
  let due = Math.ceil(12 * (plan?.dueInYears ?? Infinity));
  let life = drawLife(part, part.ageYears, part.hazardRatio, next);
  while (true) {
    const failsIn = due === 0 ? Infinity : Math.max(1, Math.ceil(12 * life));
    const fails = failsIn <= due;
    month += fails ? failsIn : Math.max(due, 1);
    if (month > 12 * YEARS) return costs;
    costs[Math.ceil(month / 12) - 1]! += fails ? part.failureCents : part.plannedCents;
    due = age;
    life = drawLife(part, 0, 1, next);
  }
}

for (const [name, kind, seed] of [
  ["replaced by age", dearPart, 11],
  ["of any kind", anyPart, 12],
] as const)
  for (const [index, drawn] of fc.sample(kind, { seed, numRuns: 4 }).entries()) {
    // Lives short enough for several within the years, and much longer than a month.
    const part = { ...drawn, scaleYears: 2 + (drawn.scaleYears % 12) };
    const years = lifespanYearsOf(part).toFixed(1);
    // Rule: plan-simulation
    test(`${HISTORIES} simulated histories of a part ${name}, life ${years} years, seed ${seed}.${index}, cost what is expected`, () => {
      const { sums, plans } = yearsOf([part], YEARS);
      for (const plan of [plans[0], undefined]) {
        const next = random(seed * 1000 + index);
        const mean = new Float64Array(YEARS);
        const square = new Float64Array(YEARS);
        for (let n = 0; n < HISTORIES; n++) {
          const costs = liveThrough(part, plan, next);
          for (let year = 0; year < YEARS; year++) {
            mean[year]! += costs[year]! / HISTORIES;
            square[year]! += costs[year]! ** 2 / HISTORIES;
          }
        }
        for (let year = 0; year < YEARS; year++) {
          const expected = plan ? sums.planned[year]! + sums.failures[year]! : sums.runToFailure[year]!;
          const error = Math.sqrt(Math.max(0, square[year]! - mean[year]! ** 2) / HISTORIES);
          expect(Math.abs(mean[year]! - expected)).toBeLessThanOrEqual(3 * error + 1);
        }
      }
    });
  }

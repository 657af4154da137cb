import fc from "fast-check";
import { addYearlyCosts, emptyYearlyCosts } from "../../../src/domain/planning/cost-schedule.ts";
import {
  addVarianceOfScheduledCosts,
  emptyVarianceSums,
} from "../../../src/domain/planning/cost-variance.ts";
import { newPartOf } from "../../../src/domain/planning/new-part.ts";
import type { PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import { type PlanCaches, planPartByPolicy, schedulePart } from "../../../src/domain/planning/plan.ts";

export const noCaches = (): PlanCaches => ({ parts: new Map(), units: new Map() });

/** A part well past its best age. */
export const worn: PartInPlace = {
  shape: 3,
  scaleYears: 12,
  plannedCents: 40_000,
  failureCents: 400_000,
  fixedLifeYears: null,
  safety: false,
  ageYears: 11,
  labelAgeYears: 11,
  hazardRatio: 1,
  failureProbability: 0.2,
};

/** Any parts: short and long lives, new and worn, cheap and expensive failures. */
export const anyPart: fc.Arbitrary<PartInPlace> = fc
  .record({
    shape: fc.double({ min: 1.2, max: 4.5, noNaN: true }),
    scaleYears: fc.double({ min: 1, max: 45, noNaN: true }),
    plannedCents: fc.integer({ min: 0, max: 2_000_000 }),
    failureCents: fc.integer({ min: 0, max: 9_000_000 }),
    ageYears: fc.double({ min: 0, max: 60, noNaN: true }),
    hazardRatio: fc.double({ min: 0.1, max: 10, noNaN: true }),
    failureProbability: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map((part) => ({ ...part, fixedLifeYears: null, safety: false, labelAgeYears: part.ageYears }));

/** Parts with expensive failures, most of which are replaced by age. */
export const dearPart = anyPart.map((part) => ({
  ...part,
  plannedCents: part.plannedCents + 1_000,
  failureCents: part.plannedCents * 5 + 10_000,
}));

/** Parts that are never run to failure: with a fixed life, or for the safety of people. */
export const safetyPart = fc
  .tuple(anyPart, fc.option(fc.integer({ min: 1, max: 40 })))
  .map(([part, fixedLifeYears]) => ({ ...part, fixedLifeYears, safety: true }));

/** Returns the expected yearly costs of the parts together. */
export function yearsOf(parts: readonly PartInPlace[], years: number) {
  const sums = { ...emptyYearlyCosts(years), ...emptyVarianceSums(years) };
  const caches = noCaches();
  const plans = parts.map((part) => {
    const newPart = newPartOf(part, caches);
    const plan = planPartByPolicy(newPart.policy, part);
    const schedule = schedulePart(part, plan, newPart, years);
    addYearlyCosts(sums, schedule);
    addVarianceOfScheduledCosts(sums, schedule);
    return plan;
  });
  return { plans, sums };
}

export const planOf = (part: PartInPlace) => planPartByPolicy(newPartOf(part, noCaches()).policy, part);

/** Returns S(t), the probability that a new part survives t years. */
export const survival = ({ shape, scaleYears }: PartInPlace, years: number) =>
  Math.exp(-((years / scaleYears) ** shape));

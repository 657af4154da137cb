import { expect, test } from "bun:test";
import { likelyFailuresOf } from "../../../src/domain/planning/likely-failures.ts";
import type { PartInPlace } from "../../../src/domain/planning/part-in-place.ts";

/** A part with a Weibull life of shape 3 and scale 10, of this age. */
const part = (ageYears: number, failureProbability: number): PartInPlace => ({
  shape: 3,
  scaleYears: 10,
  plannedCents: 100,
  failureCents: 150,
  fixedLifeYears: null,
  safety: false,
  ageYears,
  labelAgeYears: ageYears,
  hazardRatio: 1,
  failureProbability,
});
const planned = (...parts: PartInPlace[]) => [
  {
    unit: null,
    components: parts.map((part) => ({ dueNow: null, part, price: { plannedCents: 100 } })),
  } as never,
];

test("counts parts that are likely to fail by their age, but not by a sensor alarm alone", () => {
  // Within the year after 15 years: 1 - exp(-(1.6^3 - 1.5^3)) = 51%; after 5 years 9%.
  expect(likelyFailuresOf(planned(part(15, 0.51), part(5, 0.09)))).toEqual({ count: 1, plannedCents: 100 });
  expect(likelyFailuresOf(planned(part(5, 0.9)))).toEqual({ count: 0, plannedCents: 0 });
});

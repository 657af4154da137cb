import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  fullReplacementReserve,
  RESERVE_MONTHS,
  ReserveAccumulator,
} from "../../../src/domain/figures/reserve.ts";
import { aged, anyComponents, gather, part, prices, whole } from "./components.ts";

const reserveOver = (components: ReturnType<typeof part>[], unitCount: number, months: number) =>
  gather(new ReserveAccumulator(prices, months), components).reserve(unitCount);

/** A burner of 20 years, 2,800 USD: median life 21, shape 2.5, η = 24.315831; score 0.33, so GOOD. */
const BURNER = aged("boiler_burner", 20);
/** 950 USD. */
const CIRCULATOR = part("boiler_circulator", 78);

describe("a reserve", () => {
  // Rule: reserve-amounts
  test("contains a sound component by its probability of failing in the time", () => {
    // within 12 months 0.07650879, so 214.22 USD a year; 17.852 a month
    expect(reserveOver([BURNER], 1, 12).propertyPerMonth).toBe(1785);
    // within 24 months 0.15217567; 426.09 / 24 = 17.754
    expect(reserveOver([BURNER], 1, 24).propertyPerMonth).toBe(1775);
  });

  // Rule: reserve-amounts, reserve
  test("contains a CRITICAL component in full, per unit and per year", () => {
    const over = (months: number) => reserveOver([BURNER, CIRCULATOR], 3, months);
    // (214.2246 + 950) / 12 = 97.01872
    expect(over(12)).toEqual({ propertyPerMonth: 9702, perUnitPerMonth: 3234, perUnitPerYear: 38_807 });
    // (426.0919 + 950) / 24 = 57.33716
    expect(over(24)).toEqual({ propertyPerMonth: 5734, perUnitPerMonth: 1911, perUnitPerYear: 22_935 });
    // (633.7074 + 950) / 36 = 43.99187
    expect(over(36)).toEqual({ propertyPerMonth: 4399, perUnitPerMonth: 1466, perUnitPerYear: 17_597 });
  });

  // Rule: reserve-amounts
  test("contains a WARNING component by its probability", () => {
    const warned = { ...BURNER, riskScore: 77, riskTier: "WARNING" as const };
    expect(reserveOver([warned], 1, 12)).toEqual(reserveOver([BURNER], 1, 12));
  });

  test("counts a property without units as one unit", () => {
    expect(reserveOver([CIRCULATOR], 0, 12)).toEqual({
      propertyPerMonth: 7917, // 950 / 12
      perUnitPerMonth: 7917,
      perUnitPerYear: 95_000,
    });
  });

  test("is the whole cost if everything is CRITICAL", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RESERVE_MONTHS), fc.integer({ min: 78, max: 99 }), (months, score) => {
        const elevator = whole("elevator", score); // parts of 150,000 USD
        expect(reserveOver(elevator, 1, months).propertyPerMonth).toBe(Math.round(15_000_000 / months));
      }),
    );
  });

  test("is never negative, in whole cents, and at most the whole cost", () => {
    const units = fc.integer({ min: 0, max: 500 });
    fc.assert(
      fc.property(
        anyComponents,
        units,
        fc.constantFrom(...RESERVE_MONTHS),
        (components, unitCount, months) => {
          const reserve = reserveOver(components, unitCount, months);
          const costs = components.map((one) => prices.ofComponent(one).plannedCents);
          const cost = costs.reduce((sum, cents) => sum + cents, 0);
          for (const cents of Object.values(reserve)) {
            expect(Number.isSafeInteger(cents)).toBe(true);
            expect(cents).toBeGreaterThanOrEqual(0);
          }
          expect(reserve.propertyPerMonth).toBeLessThanOrEqual(Math.round(cost / months));
        },
      ),
    );
  });
});

// Rule: reserve-amounts
test("full replacement is the replacement cost value over ten years", () => {
  expect(fullReplacementReserve(1_543_000, 4)).toEqual({
    propertyPerMonth: 12_858, // 15,430 / 120 = 128.58333
    perUnitPerMonth: 3215, // 32.14583
    perUnitPerYear: 38_575,
  });
  expect(fullReplacementReserve(0, 0)).toEqual({
    propertyPerMonth: 0,
    perUnitPerMonth: 0,
    perUnitPerYear: 0,
  });
});

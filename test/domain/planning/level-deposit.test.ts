import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  DEPOSIT_CONFIDENCES,
  levelDepositOf,
  type ReserveFunding,
  reserveByYear,
  reserveStartedForFirstYear,
} from "../../../src/domain/planning/level-deposit.ts";

const NO_FUNDS: ReserveFunding = { openingCents: 0, interest: 0, minimumCents: 0, depositGrowth: 0 };
const needsOf = (cents: number[], variance = cents.map(() => 0), costError = cents.map(() => 0)) => ({
  cents,
  variance,
  costError,
});

const cents = fc.double({ min: 0, max: 1e7, noNaN: true });
const rate = fc.double({ min: 0, max: 0.15, noNaN: true });
const anyFunding = fc.record({
  openingCents: cents,
  interest: rate,
  minimumCents: cents,
  depositGrowth: rate,
});
const anyNeeds = fc
  .array(fc.tuple(cents, cents, fc.double({ min: 0, max: 0.5, noNaN: true })), {
    minLength: 1,
    maxLength: 30,
  })
  .map((years) => ({
    cents: years.map(([need]) => need),
    variance: years.map(([, variance]) => variance),
    costError: years.map(([, , error]) => error),
  }));

describe("a level deposit", () => {
  test("is the largest yearly share of the needs up to any year", () => {
    expect(levelDepositOf(needsOf([12_000, 3_000, 9_000]), NO_FUNDS)[50].noise).toBe(12_000);
    expect(levelDepositOf(needsOf([2_000, 3_000, 9_000]), NO_FUNDS)[50].noise).toBeCloseTo(14_000 / 3, 9);
  });

  test("allows for noise and for costs that err together", () => {
    const deposit = levelDepositOf(needsOf([12_000], [9e6], [1 / 3]), NO_FUNDS);
    expect(deposit[50]).toEqual({ noise: 12_000, withCostError: 12_000 });
    expect(deposit[80].noise).toBeCloseTo(12_000 + 0.841621 * 3_000, 9);
    expect(deposit[80].withCostError).toBeCloseTo(12_000 + 0.841621 * 5_000, 9);
    expect(deposit[95].withCostError).toBeCloseTo(12_000 + 1.644854 * 5_000, 9);
  });

  // Rule: plan-deposit
  test("that year 1 makes much larger has a balance at the start with which a smaller one suffices", () => {
    expect(reserveStartedForFirstYear([12_000, 3_000, 1_000], NO_FUNDS)).toEqual({
      openingCents: 9_000,
      depositCents: 3_000,
    });
    expect(reserveStartedForFirstYear([3_000, 3_000, 3_000], NO_FUNDS)).toBeNull();
    expect(reserveStartedForFirstYear([3_000], NO_FUNDS)).toBeNull();
    expect(reserveStartedForFirstYear([0, 0], NO_FUNDS)).toBeNull();
    let found = 0;
    fc.assert(
      fc.property(anyNeeds, anyFunding, (needs, funding) => {
        const certain = needsOf(needs.cents);
        const started = reserveStartedForFirstYear(needs.cents, funding);
        if (started === null) return;
        found++;
        const { openingCents, depositCents } = started;
        const deposit = levelDepositOf(certain, { ...funding, openingCents })[50].noise;
        expect(Math.abs(deposit - depositCents)).toBeLessThan(1e-6 * (1 + depositCents));
        expect(deposit).toBeLessThan(levelDepositOf(certain, funding)[50].noise);
      }),
    );
    expect(found).toBeGreaterThan(5);
  });

  test("is 0 where the opening balance and its interest pay everything", () => {
    const funding = { ...NO_FUNDS, openingCents: 20_000, interest: 0.05 };
    expect(levelDepositOf(needsOf([10_000, 10_000]), funding)[50].noise).toBe(0);
  });

  // Rule: plan-deposit
  test("of 50 % keeps the balance at the floor exactly once or more, and never below it", () => {
    fc.assert(
      fc.property(anyNeeds, anyFunding, (needs, funding) => {
        const deposit = levelDepositOf(needs, funding);
        const balances = reserveByYear(needs.cents, funding, deposit[50].noise).map(
          ({ balanceCents }) => balanceCents,
        );
        const least = Math.min(...balances) - funding.minimumCents;
        const precision = 1e-9 * (1 + funding.openingCents + needs.cents.reduce((a, b) => a + b, 0)) * 100;
        expect(least).toBeGreaterThanOrEqual(-precision);
        if (deposit[50].noise > 0) expect(least).toBeLessThanOrEqual(precision);
      }),
    );
  });

  test("rises with confidence, and with costs in error", () => {
    fc.assert(
      fc.property(anyNeeds, anyFunding, (needs, funding) => {
        const deposit = levelDepositOf(needs, funding);
        let before = deposit[50].noise;
        for (const confidence of DEPOSIT_CONFIDENCES) {
          expect(deposit[confidence].noise).toBeGreaterThanOrEqual(before);
          expect(deposit[confidence].withCostError).toBeGreaterThanOrEqual(deposit[confidence].noise);
          before = deposit[confidence].noise;
        }
      }),
    );
  });
});

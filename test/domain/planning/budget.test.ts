import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type BudgetCandidate,
  type BudgetSpending,
  budgetRankOf,
  compareBudgetRanks,
  isUrgentRank,
  spendBudget,
} from "../../../src/domain/planning/budget.ts";

const part = (id: string, plannedCents: number, waitingCents: number): BudgetCandidate => ({
  id,
  plannedCents,
  waitingCents,
  isUrgent: false,
});

function spendOn(
  candidates: readonly BudgetCandidate[],
  amountCents: number,
): BudgetSpending<BudgetCandidate> {
  const spending = { chosen: [], spentCents: 0, avoidedCents: 0 };
  spendBudget(spending, amountCents, candidates.toSorted(compareBudgetRanks));
  return spending;
}

const ids = ({ chosen }: BudgetSpending<BudgetCandidate>) => chosen.map(({ id }) => id);

describe("a budget", () => {
  const roof = part("roof", 900_000, 300_000);
  const valve = part("valve", 20_000, 30_000);
  const pump = part("pump", 60_000, 50_000);
  const motor = part("motor", 60_000, -100);

  // Rule: plan-budget
  test("is spent on the highest cost of waiting per dollar, and skips what it no longer covers", () => {
    expect(spendOn([roof, motor, pump, valve], 80_000)).toEqual({
      chosen: [valve, pump],
      spentCents: 80_000,
      avoidedCents: 80_000,
    });
    expect(ids(spendOn([roof, motor, pump, valve], 930_000))).toEqual(["valve", "pump"]);
    expect(ids(spendOn([roof, motor, pump, valve], 79_999))).toEqual(["valve"]);
    expect(ids(spendOn([roof, pump, valve], 970_000))).toEqual(["valve", "pump"]);
    expect(ids(spendOn([roof, pump, valve], 980_000))).toEqual(["valve", "pump", "roof"]);
  });

  test("buys nothing with a negative cost of waiting, however large the budget is", () => {
    expect(ids(spendOn([motor, part("fan", 0, 0)], 1e9))).toEqual([]);
  });

  test("of zero buys what costs nothing", () => {
    expect(ids(spendOn([part("free", 0, 5), valve], 0))).toEqual(["free"]);
  });

  // Rule: plan-budget
  test("buys hazards and safety items first, whatever they cost and save", () => {
    const alarm = { ...part("alarm", 50_000, -2_000), isUrgent: true };
    expect(ids(spendOn([roof, valve, alarm], 70_000))).toEqual(["alarm", "valve"]);
    expect(ids(spendOn([roof, valve, alarm], 60_000))).toEqual(["alarm"]);
    expect(ids(spendOn([roof, valve, alarm], 40_000))).toEqual(["valve"]);
    expect([alarm, valve, roof].map((one) => isUrgentRank(budgetRankOf(one)))).toEqual([true, false, false]);
  });

  test("is never overspent, leaves nothing that it still covers, and adds up", () => {
    const cents = fc.integer({ min: 0, max: 5_000 });
    const candidates = fc.array(fc.tuple(cents, fc.integer({ min: -2_000, max: 5_000 })), { maxLength: 40 });
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 60_000 }), (pairs, amount) => {
        const all = pairs.map(([planned, waiting], index) => part(`C_${index}`, planned, waiting));
        const { chosen, spentCents, avoidedCents } = spendOn(all, amount);
        expect(spentCents).toBeLessThanOrEqual(amount);
        expect(chosen.reduce((sum, { plannedCents }) => sum + plannedCents, 0)).toBe(spentCents);
        expect(chosen.reduce((sum, { waitingCents }) => sum + waitingCents, 0)).toBe(avoidedCents);
        for (const left of all)
          if (!chosen.includes(left) && left.waitingCents > 0)
            expect(left.plannedCents).toBeGreaterThan(amount - spentCents);
      }),
    );
  });

  test("is spent equally in one batch and in several", () => {
    const all = Array.from({ length: 30 }, (_, i) => part(`C_${i}`, 100 + ((i * 37) % 400), (i * 91) % 700));
    const sorted = all.toSorted(compareBudgetRanks);
    const batched: BudgetSpending<BudgetCandidate> = { chosen: [], spentCents: 0, avoidedCents: 0 };
    for (let i = 0; i < sorted.length; i += 7) spendBudget(batched, 2_000, sorted.slice(i, i + 7));
    expect(batched).toEqual(spendOn(all, 2_000));
  });
});

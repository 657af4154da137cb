import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PartCosts } from "../../../src/domain/costs/component-costs.ts";
import {
  type BilledEvent,
  CostHistory,
  costLineFromHistory,
} from "../../../src/domain/costs/cost-history.ts";
import { addDays } from "../../../src/domain/time.ts";

const TODAY = "2026-03-10";
const event = (fields: Partial<BilledEvent>): BilledEvent => ({
  applianceId: "A_1",
  componentId: null,
  componentDefId: null,
  eventType: "Replacement",
  date: "2025-06-01",
  costCents: 100_000,
  ...fields,
});
const costs = (plannedCents: number): PartCosts => ({
  plannedCents,
  emergencyCents: plannedCents,
  failedCents: plannedCents,
  damage: null,
  basis: "scaled",
  scaling: { size: 1, referenceSize: 1, bySize: 1, byLocation: 1, byPriceLevel: 1 },
});
const historyOf = (events: readonly BilledEvent[]) => {
  const history = new CostHistory(TODAY);
  // The cost in use differs from the bill.
  for (const one of events) history.add("boiler", one, () => costs(10 * (one.costCents ?? 0)));
  return history.kinds();
};
const kindsOf = (events: readonly BilledEvent[]) => historyOf(events).map(({ used: _, ...kind }) => kind);
/** One Replacement of each of some appliances. */
const replacements = (cents: readonly (number | null)[], fields: Partial<BilledEvent> = {}) =>
  cents.map((costCents, nth) => event({ applianceId: `A_${nth}`, costCents, ...fields }));

describe("what a partner has paid", () => {
  // Rule: costs-history
  test("is the median of five or more bills of a kind; other kinds are left out", () => {
    expect(kindsOf(replacements([500, 400, 300, 200]))).toEqual([]);
    expect(kindsOf(replacements([500, 400, 90_000, 200, 300]))).toEqual([
      {
        typeId: "boiler",
        componentDefId: null,
        planned: { count: 5, medianCents: 400 },
        afterFailure: { count: 0, medianCents: null },
      },
    ]);
    expect(kindsOf(replacements([200, 301, 400, 100, 900, 800]))[0]!.planned).toEqual({
      count: 6,
      medianCents: 351,
    });
  });

  // Rule: costs-history
  test("counts neither bills that are missing or below a dollar, nor those older than 60 months or in the future", () => {
    const four = replacements([400, 400, 400, 400]);
    for (const fields of [
      { costCents: null },
      { costCents: 99 },
      { date: "2021-03-09" },
      { date: addDays(TODAY, 1) },
      { eventType: "Inspection" as const },
    ])
      expect(kindsOf([...four, event({ applianceId: "A_9", ...fields })])).toEqual([]);
    for (const date of ["2021-03-10", TODAY])
      expect(kindsOf([...four, event({ applianceId: "A_9", date })])).toHaveLength(1);
  });

  // Rule: costs-history
  test("is that of a failure if an Emergency Repair of the same came at most 60 days before", () => {
    const burner = { componentId: "C_1", componentDefId: "boiler_burner" };
    const isFailure = (repair: Partial<BilledEvent>, replacement: Partial<BilledEvent>) => {
      const five = replacements([400, 400, 400, 400, 400], replacement).map((one) => [
        event({ ...one, eventType: "Emergency Repair", ...repair }),
        one,
      ]);
      return kindsOf(five.flat())[0]!.afterFailure.count === 5;
    };
    expect(isFailure({ date: "2025-06-01" }, {})).toBe(true);
    expect(isFailure({ date: addDays("2025-06-01", -60) }, {})).toBe(true);
    expect(isFailure({ date: addDays("2025-06-01", -61) }, {})).toBe(false);
    expect(isFailure(burner, {})).toBe(true);
    expect(isFailure({ componentId: null, componentDefId: null }, burner)).toBe(true);
    expect(isFailure(burner, burner)).toBe(true);
    expect(isFailure({ ...burner, componentId: "C_2" }, burner)).toBe(false);
    expect(isFailure({ applianceId: "A_other" }, {})).toBe(false);
    // The first Replacement that counts may follow an Emergency Repair that is older than 60 months.
    expect(isFailure({ date: "2021-02-01" }, { date: "2021-03-10" })).toBe(true);
  });

  // Rule: costs-history
  test("stands beside the costs in use for what was replaced, those of the middle one", () => {
    for (const [bills, used] of [
      [[500, 400, 90_000, 200, 300], 4000],
      [[200, 301, 400, 100, 900, 800], 3010],
    ] as const)
      expect(historyOf(replacements(bills))[0]!.used).toEqual(costs(used));
  });

  test("becomes a line of the cost book", () => {
    const [kind] = historyOf(replacements([400, 400, 400, 400, 400]));
    expect(costLineFromHistory(kind!, TODAY)).toEqual({
      typeId: "boiler",
      componentDefId: null,
      state: null,
      plannedCents: 400,
      failedCents: null,
      size: null,
      asOf: TODAY,
      source: "history",
    });
  });

  test("has a median with as many bills at or below it as at or above it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 1e9 }), { minLength: 5, maxLength: 40 }), (cents) => {
        const { medianCents, count } = kindsOf(replacements(cents))[0]!.planned;
        const below = cents.filter((one) => one <= medianCents!).length;
        const above = cents.filter((one) => one >= medianCents!).length;
        return count === cents.length && below * 2 >= count && above * 2 >= count - (count % 2 === 0 ? 2 : 0);
      }),
      { numRuns: 100 },
    );
  });
});

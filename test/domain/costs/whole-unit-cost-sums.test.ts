import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { moneyOfAppliance } from "../../../src/domain/figures/money-by-tier.ts";
import type { AssessedComponent } from "../../../src/domain/figures/property-assessment.ts";
import { assess, knowledge, part, prices, whole } from "../figures/components.ts";

const unitOf = (component: AssessedComponent) => prices.ofAppliance(component, component).unit();

describe("a unit that is replaced as a whole", () => {
  // Rule: one-unit-one-price
  test("counts once, planned and after failure, however many of its parts are elevated", () => {
    const boiler = whole("boiler", 90);
    const { criticalProactiveCents, criticalReactiveCents, ...rest } = assess(boiler);
    expect(criticalProactiveCents).toBe(1_600_000);
    // 1.3 units, and the damage of its heat exchanger: 10,000 in 20 of 1,000
    expect(criticalReactiveCents).toBe(2_080_000 + 20_000);
    expect(rest).toMatchObject({ warningProactiveCents: 0, critical: boiler.length });
  });

  // Rule: one-unit-one-price
  test("counts its CRITICAL parts first, and WARNING ones up to the rest of its price", () => {
    const boiler = whole("boiler", 60).map((one, at) => ({ ...one, riskScore: at === 1 ? 90 : 60 }));
    const { criticalProactiveCents, warningProactiveCents } = assess(boiler);
    expect(criticalProactiveCents).toBe(knowledge.component(boiler[1]!.defId).proactiveCents);
    expect(criticalProactiveCents + warningProactiveCents).toBe(1_600_000);
  });

  // Rule: one-unit-one-price
  test("is limited by the own price of its principal part, also of one that is GOOD", () => {
    const boiler = whole("boiler", 90).map((one) =>
      one.defId === "boiler_heat_exchanger"
        ? { ...one, riskScore: 10, ownPlannedCents: 100_000, ownFailedCents: 150_000 }
        : one,
    );
    const { criticalProactiveCents, criticalReactiveCents, rcvCents } = assess(boiler);
    expect([criticalProactiveCents, criticalReactiveCents, rcvCents]).toEqual([100_000, 150_000, 100_000]);
  });

  test("does not limit other units, or types whose parts are replaced one by one", () => {
    const two = ["A_1", "A_2"].flatMap((applianceId) => whole("boiler", 90, { applianceId }));
    expect(assess(two).criticalProactiveCents).toBe(3_200_000);
    const roof = whole("roof", 90);
    const parts = roof.reduce((sum, { defId }) => sum + knowledge.component(defId).proactiveCents, 0);
    expect(assess(roof).criticalProactiveCents).toBe(parts);
  });
});

test("sums are at most those of the units, do not depend on the order, and add up over appliances", () => {
  const appliance = fc
    .record({
      typeId: fc.constantFrom(...knowledge.types.keys()),
      scores: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 9, maxLength: 9 }),
      own: fc.option(fc.integer({ min: 0, max: 5_000_000 })),
      size: fc.option(fc.double({ min: 1, max: 1000, noNaN: true })),
    })
    .map(({ typeId, scores, own, size }) =>
      whole(typeId, 0, { size }).map((one, at) => ({
        ...one,
        riskScore: scores[at]!,
        ownPlannedCents: at === 0 ? own : null,
      })),
    );
  fc.assert(
    fc.property(fc.array(appliance, { maxLength: 5 }), (appliances) => {
      const all = appliances.flatMap((parts, at) => parts.map((one) => ({ ...one, applianceId: `A_${at}` })));
      const totals = assess(all);
      expect(assess(all.toReversed())).toEqual(totals);
      const each = appliances.map((parts) =>
        moneyOfAppliance(prices.ofAppliance(parts[0]!, parts[0]!), parts),
      );
      for (const name of ["criticalProactiveCents", "warningReactiveCents", "rcvCents"] as const)
        expect(each.reduce((sum, money) => sum + money[name], 0)).toBe(totals[name]);
      for (const [at, money] of each.entries()) {
        const parts = appliances[at]!;
        if (knowledge.type(parts[0]!.typeId).whole === null || parts[0]!.ownPlannedCents !== null) continue;
        const unit = unitOf(parts[0]!);
        expect(money.criticalProactiveCents + money.warningProactiveCents).toBeLessThanOrEqual(
          unit.plannedCents,
        );
        expect(money.criticalReactiveCents + money.warningReactiveCents).toBeLessThanOrEqual(
          unit.failedCents,
        );
      }
    }),
    { numRuns: 100 },
  );
});

test("the principal part of an appliance costs what its unit does in lists", () => {
  const costs = prices.ofComponent(part("wh_gas_tank", 80));
  expect(costs.plannedCents).toBe(unitOf(part("wh_gas_tank", 80)).plannedCents);
});

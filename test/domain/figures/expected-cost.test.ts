import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ExpectedCostAccumulator } from "../../../src/domain/figures/expected-cost.ts";
import { failureCostOf } from "../../../src/domain/figures/failure-cost.ts";
import { knowledge, part, prices } from "./components.ts";

const cost = (defId: string) => {
  const { system } = knowledge.component(defId);
  return failureCostOf(prices.ofComponent(part(defId, 0)), knowledge.lossClass(system));
};

describe("the cost of a failure", () => {
  // Rule: expected-cost
  test("is the emergency replacement and the damage by its probability", () => {
    // relief valve: 304 USD; a damage of 7,000 in 1 of 500
    const def = knowledge.component("wh_gas_tp_valve");
    expect(cost("wh_gas_tp_valve").mean).toBe(def.reactiveCents);
  });

  test("is that of the whole unit for its principal part", () => {
    // A water heater costs 1,500 USD, 1.3 times as much after a failure; 8,000 of damage in 24 of 1,000.
    expect(cost("wh_gas_tank").mean).toBeCloseTo(195_000 + 0.024 * 800_000, 6);
    // A boiler: 16,000 USD, at most 1.3 times as much after a failure; 10,000 of damage in 20 of 1,000.
    expect(cost("boiler_heat_exchanger").mean).toBeCloseTo(2_080_000 + 0.02 * 1_000_000, 6);
  });

  test("has the spread of a log-normal damage", () => {
    const def = knowledge.component("washer_supply_hoses");
    const { emergencyCents: e, damage } = def;
    const { probability: p, cents: D } = damage!;
    const cv = knowledge.lossClass("appliance").damageVariation;
    expect(cost(def.id).meanSquare).toBeCloseTo(e ** 2 + 2 * e * p * D + p * D ** 2 * (1 + cv ** 2), 0);
  });
});

describe("the expected cost of a period", () => {
  const parts = fc.array(
    fc.record({
      probability: fc.double({ min: 0, max: 0.99, noNaN: true }),
      defId: fc.constantFrom(...knowledge.components.keys()),
    }),
    { maxLength: 60 },
  );
  const sumOf = (given: readonly { probability: number; defId: string }[]) => {
    const sum = new ExpectedCostAccumulator();
    for (const { probability, defId } of given) sum.add(probability, cost(defId));
    return sum.expected;
  };

  // Rule: expected-cost
  test("is the sum of probabilities and of probability times cost", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { failures, mean } = sumOf(given);
        expect(failures).toBeCloseTo(
          given.reduce((sum, { probability }) => sum + probability, 0),
          9,
        );
        const costs = given.reduce((sum, { probability, defId }) => sum + probability * cost(defId).mean, 0);
        expect(Math.abs(mean - costs)).toBeLessThan(1e-3);
      }),
    );
  });

  test("has a range in order, from 0 where no failure at all has a probability of 10% or more", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { low, high } = sumOf(given);
        const quiet = given.reduce((product, { probability }) => product * (1 - probability), 1);
        expect(high).toBeGreaterThanOrEqual(low);
        expect(low === 0).toBe(quiet >= 0.1);
      }),
    );
  });

  // Rule: expected-cost
  test("lies within its range about as often as the API says, by simulation", () => {
    let seed = 1;
    const next = () => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return (seed + 0.5) / 2 ** 32;
    };
    const kinds = [...knowledge.components.keys()];
    const shareWithin = (count: number) => {
      // Without damage, so that a failure costs one amount.
      const drawn = Array.from({ length: count }, () => ({
        probability: next() ** 2,
        cents: knowledge.component(kinds[Math.floor(next() * kinds.length)]!).emergencyCents,
      }));
      const sum = new ExpectedCostAccumulator();
      for (const { probability, cents } of drawn)
        sum.add(probability, { mean: cents, meanSquare: cents ** 2 });
      const { low, high } = sum.expected;
      let within = 0;
      for (let period = 0; period < 1000; period++) {
        let total = 0;
        for (const { probability, cents } of drawn) if (next() < probability) total += cents;
        if (low <= total && total <= high) within++;
      }
      return within / 1000;
    };
    for (let nth = 0; nth < 5; nth++) {
      expect(shareWithin(200)).toBeWithin(0.76, 0.89);
      expect(shareWithin(6)).toBeWithin(0.64, 1.01);
    }
  });

  test("is nothing for nothing", () => {
    expect(sumOf([])).toEqual({ failures: 0, mean: 0, low: 0, high: 0 });
  });
});

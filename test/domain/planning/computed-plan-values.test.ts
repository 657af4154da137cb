import { expect, test } from "bun:test";
import fc from "fast-check";
import { ComputedPlanValues } from "../../../src/domain/planning/computed-plan-values.ts";

type Key = { life: number; cost: number; name: string };
const MOST = 5;

test("the newest values are kept, as many as the limit says", () => {
  // Few numbers, so that many keys are alike.
  const keys = fc.uniqueArray(fc.record({ life: fc.nat(2), cost: fc.nat(2), name: fc.string() }), {
    comparator: "SameValueZero",
    selector: ({ life, cost, name }) => `${life} ${cost} ${name}`,
    maxLength: 40,
  });
  fc.assert(
    fc.property(keys, (all) => {
      const cache = new ComputedPlanValues<Key, Key>(MOST, {
        hash: ({ life, cost }) => life + cost,
        isSame: (one, other) => one.life === other.life && one.cost === other.cost && one.name === other.name,
      });
      for (const [nth, key] of all.entries()) {
        expect(cache.get(key)).toBeUndefined();
        cache.set(key, key);
        const kept = all.slice(0, nth + 1).filter((one) => cache.get({ ...one }) === one);
        expect(kept).toEqual(all.slice(Math.max(0, nth + 1 - MOST), nth + 1));
      }
    }),
  );
});

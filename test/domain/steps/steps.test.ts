import { expect, test } from "bun:test";
import fc from "fast-check";
import { mapInSteps, runSteps, sortInSteps } from "../../../src/domain/steps/computation-steps.ts";

const some = fc
  .tuple(fc.array(fc.nat(50), { maxLength: 40 }), fc.integer({ min: 1, max: 200 }))
  .map(([keys, times]) =>
    Array.from({ length: keys.length * times }, (_, at) => ({ key: keys[(at * 7) % keys.length]!, at })),
  );

test("sorting in steps equals a stable sort", () => {
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
  fc.assert(
    fc.property(some, (items) => expect(runSteps(sortInSteps(items, byKey))).toEqual(items.toSorted(byKey))),
  );
});

test("mapping in steps equals mapping each item", () => {
  fc.assert(
    fc.property(some, (items) =>
      expect(runSteps(mapInSteps(items, ({ at }) => at))).toEqual(items.map(({ at }) => at)),
    ),
  );
});

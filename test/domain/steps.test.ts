import { expect, test } from "bun:test";
import fc from "fast-check";
import { mapInSteps, runSteps, sortInSteps } from "../../src/domain/steps.ts";

const some = fc
  .tuple(fc.array(fc.nat(50), { maxLength: 40 }), fc.integer({ min: 1, max: 200 }))
  .map(([keys, times]) =>
    Array.from({ length: keys.length * times }, (_, at) => ({ key: keys[(at * 7) % keys.length]!, at })),
  );

test("what is sorted in steps is sorted as in one go, equals as they stood", () => {
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
  fc.assert(
    fc.property(some, (items) => expect(runSteps(sortInSteps(items, byKey))).toEqual(items.toSorted(byKey))),
  );
});

test("what is made in steps is what is made of each", () => {
  fc.assert(
    fc.property(some, (items) =>
      expect(runSteps(mapInSteps(items, ({ at }) => at))).toEqual(items.map(({ at }) => at)),
    ),
  );
});

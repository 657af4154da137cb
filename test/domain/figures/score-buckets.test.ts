import { expect, test } from "bun:test";
import fc from "fast-check";
import { ScoreBuckets } from "../../../src/domain/figures/score-buckets.ts";

test("lists items as a stable sort does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(99), fc.nat(3))), (items) => {
      const list = new ScoreBuckets<(typeof items)[number]>();
      for (const item of items) list.add(item[0], item);
      expect(list.list()).toEqual(items.toSorted((a, b) => b[0] - a[0]));
      expect(list.list((a, b) => a[1] - b[1])).toEqual(items.toSorted((a, b) => b[0] - a[0] || a[1] - b[1]));
    }),
  );
});

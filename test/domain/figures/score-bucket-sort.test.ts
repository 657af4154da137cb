import { expect, test } from "bun:test";
import fc from "fast-check";
import { ScoreBucketSort } from "../../../src/domain/figures/score-bucket-sort.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";

test("lists items as a stable sort does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(99), fc.nat(3))), (items) => {
      const list = new ScoreBucketSort<(typeof items)[number]>();
      for (const item of items) list.add(item[0], item);
      expect(runSteps(list.list())).toEqual(items.toSorted((a, b) => b[0] - a[0]));
      expect(runSteps(list.list((a, b) => a[1] - b[1]))).toEqual(
        items.toSorted((a, b) => b[0] - a[0] || a[1] - b[1]),
      );
    }),
  );
});

test("lists any number of items of one score in short steps", () => {
  const mostCompared = (count: number) => {
    const list = new ScoreBucketSort<number>();
    for (let n = 0; n < count; n++) list.add(50, (n * 7919) % count);
    let [compared, most] = [0, 0];
    const steps = list.list((a, b) => {
      compared++;
      return a - b;
    });
    for (let next = steps.next(); !next.done; next = steps.next()) {
      most = Math.max(most, compared);
      compared = 0;
    }
    return Math.max(most, compared);
  };
  expect(mostCompared(20_000)).toBeLessThan(2 * mostCompared(1000));
});

import { expect, test } from "bun:test";
import { invalid } from "../../src/domain/errors.ts";
import { parseBulkItems } from "../../src/http/bulk-request.ts";

test("items are parsed in slices, and the other requests of the event loop go on in between", async () => {
  let yields = 0;
  const yieldNow = async () => void yields++;
  const read = (item: unknown) => {
    const endAt = performance.now() + 3;
    while (performance.now() < endAt);
    if (item === 2) throw invalid("two");
    return item;
  };
  const parsed = await parseBulkItems([1, 2, 3], { most: 3, read, yieldNow });
  expect(parsed).toEqual([{ input: 1 }, { error: "two" }, { input: 3 }]);
  expect(yields).toBeGreaterThanOrEqual(2);
  await expect(parseBulkItems([1, 2, 3], { most: 2, read, yieldNow })).rejects.toThrow("At most 2 items");
});

import { expect, test } from "bun:test";
import { invalid } from "../../src/domain/errors.ts";
import { parseBulkRequestItems, saveBulkRequestItems } from "../../src/http/bulk-request.ts";

test("items are parsed in slices, and the other requests of the event loop go on in between", async () => {
  let yields = 0;
  const yieldNow = async () => void yields++;
  const read = (item: unknown) => {
    const endAt = performance.now() + 3;
    while (performance.now() < endAt);
    if (item === 2) throw invalid("two");
    return item;
  };
  const parsed = await parseBulkRequestItems([1, 2, 3], { most: 3, read, yieldNow });
  expect(parsed).toEqual([{ input: 1 }, { error: "two" }, { input: 3 }]);
  expect(yields).toBeGreaterThanOrEqual(2);
  await expect(parseBulkRequestItems([1, 2, 3], { most: 2, read, yieldNow })).rejects.toThrow(
    "At most 2 items",
  );
});

test("an item that is rejected after a write fails the whole request; one that is rejected before takes no other with it", async () => {
  let written = 0;
  const tx = { changes: () => written, yieldToEventLoop: async () => {} };
  const writer = { tx, rescoreLimit: undefined };
  const items = [{ input: 1 }, { input: -1 }, { error: "unreadable" }, { input: 2 }];
  const save = (writesFirst: boolean) => async (input: number) => {
    if (input > 0 || writesFirst) written++;
    if (input < 0) throw invalid("negative");
    return input;
  };
  expect(await saveBulkRequestItems(items, writer, save(false))).toEqual({
    saved: [1, 2],
    errors: [
      { index: 1, error: "negative" },
      { index: 2, error: "unreadable" },
    ],
  });
  await expect(saveBulkRequestItems(items, writer, save(true))).rejects.toThrow(
    "item 1 was rejected halfway: negative",
  );
});

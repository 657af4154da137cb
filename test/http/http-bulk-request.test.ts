import { expect, test } from "bun:test";
import { invalid } from "../../src/domain/errors.ts";
import {
  parseHttpBulkItems,
  saveHttpBulkItems,
  writeHttpBulkRequest,
} from "../../src/http/http-bulk-request.ts";

test("items are parsed in slices, and the other requests of the event loop go on in between", async () => {
  let yields = 0;
  const yieldNow = async () => void yields++;
  const read = (item: unknown) => {
    const endAt = performance.now() + 3;
    while (performance.now() < endAt);
    if (item === 2) throw invalid("two");
    return item;
  };
  const parsed = await parseHttpBulkItems([1, 2, 3], { most: 3, read, yieldNow });
  expect(parsed).toEqual([{ input: 1 }, { error: "two" }, { input: 3 }]);
  expect(yields).toBeGreaterThanOrEqual(2);
  await expect(parseHttpBulkItems([1, 2, 3], { most: 2, read, yieldNow })).rejects.toThrow("At most 2 items");
});

test("an item that is rejected after a write leaves nothing and takes no other with it, as one that is rejected before", async () => {
  const items = [{ input: 1 }, { input: -1 }, { error: "unreadable" }, { input: 2 }, { input: -2 }];
  const expected = {
    saved: [1, 2],
    errors: [
      { index: 1, error: "negative" },
      { index: 2, error: "unreadable" },
      { index: 4, error: "negative" },
    ],
  };
  for (const writesFirst of [false, true]) {
    let stored: number[] = [];
    const warned: unknown[] = [];
    const request = (items: Parameters<typeof saveHttpBulkItems<number, number>>[0]) =>
      writeHttpBulkRequest(
        items,
        (fields) => void warned.push(fields),
        async (left) => {
          const written: number[] = [];
          const tx = { changes: () => written.length, yieldToEventLoop: async () => {} };
          const result = await saveHttpBulkItems(left, { tx, rescoreLimit: undefined }, async (input) => {
            if (input > 0 || writesFirst) written.push(input);
            if (input < 0) throw invalid("negative");
            return input;
          });
          stored = written;
          return result;
        },
      );
    expect(await request(items)).toEqual(expected);
    expect(stored).toEqual([1, 2]);
    const halfway = [1, 4].map((index) => ({ index, reason: "negative" }));
    expect(warned).toEqual(writesFirst ? halfway : []);
    const many = request(Array.from({ length: 12 }, () => ({ input: -1 })));
    if (writesFirst) await expect(many).rejects.toThrow("Nothing was saved. Remove item 10: negative");
    else expect((await many).errors).toHaveLength(12);
  }
});

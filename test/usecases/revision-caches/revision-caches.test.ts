import { describe, expect, test } from "bun:test";
import {
  loadSumsByRevision,
  RevisionCache,
  RevisionCaches,
} from "../../../src/usecases/revision-caches/revision-caches.ts";

const shown = (number: number, more: { id?: string; day?: string; besides?: string } = {}) => {
  const { id = "PARTNER_1", ...rest } = more;
  return { partners: [{ id, revision: `${number}` }], ...rest };
};
type Text = { text: string };
const cacheOf = (maxBytes: number, mostBytes?: number) =>
  new RevisionCache<Text>(maxBytes, {
    bytesOf: ({ text }) => text.length,
    ...(mostBytes !== undefined && { mostBytes }),
  });
const answer = (length = 10): Text => ({ text: "x".repeat(length) });

// Rule: cache-current
describe("an answer", () => {
  test("is kept for its key until a revision, the day or anything else that it shows changes", () => {
    const given = answer();
    const first = shown(1, { day: "2026-03-10", besides: "v1" });
    for (const other of [
      shown(2, { day: "2026-03-10", besides: "v1" }),
      shown(1, { day: "2026-03-11", besides: "v1" }),
      shown(1, { day: "2026-03-10", besides: "v2" }),
      shown(1, { day: "2026-03-10" }),
      shown(1, { id: "PARTNER_2", day: "2026-03-10", besides: "v1" }),
      { ...first, partners: [...first.partners, { id: "PARTNER_2", revision: "1" }] },
    ]) {
      const cache = cacheOf(10_000);
      cache.set("page", first, given);
      expect(cache.get("page", { ...first })).toBe(given);
      expect(cache.get("other", first)).toBeUndefined();
      expect(cache.get("page", other)).toBeUndefined();
      // The one that is asked for again goes at once.
      expect(cache.size).toBe(0);
    }
  });

  test("goes with its partner, with its data and with its day", () => {
    const cache = cacheOf(100_000);
    const today = "2026-03-10";
    cache.set("current", shown(3), answer());
    cache.set("of today", shown(3, { day: today }), answer());
    cache.set("of yesterday", shown(3, { day: "2026-03-09" }), answer());
    cache.set("superseded", shown(2), answer());
    cache.set("of a purged partner", shown(3, { id: "PARTNER_9" }), answer());
    const both = { partners: [...shown(3).partners, { id: "PARTNER_2", revision: "7" }] };
    cache.set("of a book whose other partner changed", both, answer());
    const revisions = new Map([
      ["PARTNER_1", "3"],
      ["PARTNER_2", "8"],
    ]);
    const before = cache.bytes;
    cache.dropSuperseded(revisions, today);
    expect(cache.size).toBe(2);
    expect(cache.bytes).toBeLessThan(before / 2);
    expect(cache.get("current", shown(3))).toBeDefined();
    expect(cache.get("of today", shown(3, { day: today }))).toBeDefined();
  });
});

// Rule: cache-bytes
describe("the memory for answers", () => {
  test("holds no more than its limit, the least recently used first to go", () => {
    const cache = cacheOf(60_000);
    for (let nth = 0; nth < 1000; nth++) {
      cache.set(`page ${nth}`, shown(1), answer(5_000));
      expect(cache.get("page 0", shown(1))).toBeDefined();
      expect(cache.bytes).toBeLessThanOrEqual(60_000);
    }
    expect(cache.size).toBeLessThan(12);
    expect(cache.get("page 1", shown(1))).toBeUndefined();
    expect(cache.get("page 999", shown(1))).toBeDefined();
  });

  test("counts keys and entries, too: a million empty answers take no more", () => {
    const cache = cacheOf(60_000);
    for (let nth = 0; nth < 1000; nth++) cache.set(`${"k".repeat(1000)} ${nth}`, shown(1), answer(0));
    expect(cache.size).toBeLessThan(30);
  });

  test("keeps no answer above its own limit, and none at all if it is 0", () => {
    const cache = cacheOf(60_000, 1_000);
    cache.set("large", shown(1), answer(2_000));
    expect(cache.get("large", shown(1))).toBeUndefined();
    const none = new RevisionCaches(0).open<Text>("losses", { bytesOf: () => 0 });
    none.set("any", shown(1), answer());
    expect(none.size).toBe(0);
  });

  test("is divided among the kinds of answers, whose sum is all of it", () => {
    const caches = new RevisionCaches(1_000_000);
    const kinds = ["responses", "sums", "pages", "losses"] as const;
    const opened = kinds.map((kind) => caches.open<Text>(kind, { bytesOf: ({ text }) => text.length }));
    for (const cache of opened)
      for (let nth = 0; nth < 2_000; nth++) cache.set(`page ${nth}`, shown(1), answer(1_000));
    const bytes = opened.reduce((sum, cache) => sum + cache.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(1_000_000);
    expect(bytes).toBeGreaterThan(900_000);
    caches.dropSuperseded(new Map(), "2026-03-10");
    expect(opened.map((cache) => cache.size)).toEqual([0, 0, 0, 0]);
  });
});

// Rule: cache-current
test("the sums of a list are found once for a partner's revision, and each time without one", async () => {
  const cache = new RevisionCache<object>(10_000, { bytesOf: () => 10 });
  let found = 0;
  const find = async () => ({ found: ++found });
  const sumsOf = loadSumsByRevision(cache, "PARTNER_1");
  const revisions = ["1", "1", "2", "1", undefined, undefined];
  const sums: { found: number }[] = [];
  for (const revision of revisions) sums.push(await sumsOf("alerts", revision, find));
  expect(sums.map((one) => one.found)).toEqual([1, 1, 2, 3, 4, 5]);
  expect(await sumsOf("portfolio", "1", find)).toEqual({ found: 6 });
  expect(await loadSumsByRevision(cache, "PARTNER_2")("alerts", "1", find)).toEqual({ found: 7 });
});

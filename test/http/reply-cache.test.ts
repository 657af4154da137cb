import { expect, test } from "bun:test";
import { ReplyCache, replyKey } from "../../src/http/reply-cache.ts";

const reply = (length: number) => ({ raw: "x".repeat(length) });

test("a reply is cached for its key, until the version changes", () => {
  const cache = new ReplyCache(1000, 500);
  const cached = reply(100);
  cache.set("1 2026-03-10", "page", cached);
  expect(cache.get("1 2026-03-10", "page")).toBe(cached);
  expect(cache.get("1 2026-03-10", "other")).toBeUndefined();
  expect(cache.get("2 2026-03-10", "page")).toBeUndefined();
  expect(cache.get("1 2026-03-11", "page")).toBeUndefined();
});

test("large replies and streams are not cached, and the least recently used are evicted", () => {
  const cache = new ReplyCache(1000, 500);
  cache.set("1", "large", reply(600));
  expect(cache.get("1", "large")).toBeUndefined();
  cache.set("1", "chunks", { chunks: ["x".repeat(300), "x".repeat(300)] });
  expect(cache.get("1", "chunks")).toBeUndefined();
  cache.set("1", "stream", { raw: new ReadableStream() });
  expect(cache.get("1", "stream")).toBeUndefined();
  for (const key of ["a", "b", "c"]) cache.set("1", key, { raw: new Uint8Array(400) });
  expect(cache.get("1", "a")).toBeUndefined();
  expect(cache.get("1", "b")).toBeDefined();
  expect(cache.get("1", "c")).toBeDefined();
});

test("a key distinguishes what a page shows, not how it was asked for", () => {
  const query = (...pairs: [string, string][]) => new Map(pairs);
  const terms = query(["years", "10"], ["budget", "500"]);
  const key = replyKey("EMB_1", "plan.csv", "gzip", terms);
  expect(replyKey("EMB_1", "plan.csv", "gzip", query(["budget", "500"], ["years", "10"]))).toBe(key);
  const others = [
    replyKey("EMB_2", "plan.csv", "gzip", terms),
    replyKey("EMB_1", "schedule", "gzip", terms),
    replyKey("EMB_1", "plan.csv", "identity", terms),
    replyKey("EMB_1", "plan.csv", "gzip", query(["years", "10"])),
    replyKey("EMB_1", "plan.csv", "gzip", query(["years", '10","budget","500'])),
  ];
  expect(new Set([key, ...others]).size).toBe(6);
});

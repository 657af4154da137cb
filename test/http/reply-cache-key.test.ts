import { expect, test } from "bun:test";
import { replyCacheKey } from "../../src/http/reply-cache-key.ts";

test("a key distinguishes what a page shows, not how it was asked for", () => {
  const query = (...pairs: [string, string][]) => new Map(pairs);
  const terms = query(["years", "10"], ["budget", "500"]);
  const key = replyCacheKey("EMB_1", "plan.csv", "gzip", terms);
  expect(replyCacheKey("EMB_1", "plan.csv", "gzip", query(["budget", "500"], ["years", "10"]))).toBe(key);
  const others = [
    replyCacheKey("EMB_2", "plan.csv", "gzip", terms),
    replyCacheKey("EMB_1", "schedule", "gzip", terms),
    replyCacheKey("EMB_1", "plan.csv", "identity", terms),
    replyCacheKey("EMB_1", "plan.csv", "gzip", query(["years", "10"])),
    replyCacheKey("EMB_1", "plan.csv", "gzip", query(["years", '10","budget","500'])),
  ];
  expect(new Set([key, ...others]).size).toBe(6);
});

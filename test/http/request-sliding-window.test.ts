import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { httpRateLimitKeyOfAddress, RequestSlidingWindow } from "../../src/http/request-sliding-window.ts";

const MINUTE = 60_000;

describe("a sliding window", () => {
  test("admits the limit per minute, and returns the wait for the next call", () => {
    const window = new RequestSlidingWindow(3);
    expect([0, 10_000, 20_000].map((now) => window.admit("a", now))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(window.admit("a", 30_000)).toBe(30_000);
    expect(window.admit("a", MINUTE - 1)).toBe(1);
    expect(window.admit("a", MINUTE)).toBeUndefined();
    expect(window.admit("a", MINUTE)).toBe(10_000);
  });

  test("does not count rejected calls", () => {
    const window = new RequestSlidingWindow(1);
    window.admit("a", 0);
    for (let now = 1; now < MINUTE; now += 1000) expect(window.admit("a", now)).toBe(MINUTE - now);
    expect(window.admit("a", MINUTE)).toBeUndefined();
  });

  test("counts each caller separately", () => {
    const window = new RequestSlidingWindow(1);
    expect([window.admit("a", 0), window.admit("b", 0), window.admit("a", 0)]).toEqual([
      undefined,
      undefined,
      MINUTE,
    ]);
  });

  // Rule: limit-off
  test("with a limit of 0 admits all calls", () => {
    const window = new RequestSlidingWindow(0);
    for (let nth = 0; nth < 1000; nth++) expect(window.admit("a", 0)).toBeUndefined();
  });

  test("with a high limit takes memory only for actual calls", () => {
    const window = new RequestSlidingWindow(1_000_000);
    const before = process.memoryUsage.rss();
    for (let nth = 0; nth < 90_000; nth++) window.admit(`caller ${nth}`, 0);
    expect(process.memoryUsage.rss() - before).toBeLessThan(128e6);
  });

  test("drops idle callers if there are too many, but no active ones", () => {
    const window = new RequestSlidingWindow(1);
    window.admit("knocking", 0);
    window.admit("idle", 0);
    for (let nth = 0; nth < 200_000; nth++) {
      window.admit(`caller ${nth}`, 0);
      if (nth % 10_000 === 0) expect(window.admit("knocking", 0)).toBe(MINUTE);
    }
    expect(window.admit("knocking", 0)).toBe(MINUTE);
    expect(window.admit("idle", 0)).toBeUndefined();
  });

  // Rule: exact-windows
  test("applies to any 60 seconds, and rejects no call that it could admit", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 25_000 }), { maxLength: 80 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), gaps, (limit, steps) => {
        const window = new RequestSlidingWindow(limit);
        const admitted: number[] = [];
        let now = 0;
        for (const step of steps) {
          now += step;
          const within = admitted.filter((at) => at > now - MINUTE);
          const wait = window.admit("a", now);
          expect(wait === undefined).toBe(within.length < limit);
          if (wait === undefined) admitted.push(now);
          else expect(wait).toBe(within[0]! + MINUTE - now);
        }
      }),
    );
  });
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0db8:0001:0002::6", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:cb00:7109", "203.0.113.9"],
  ["unknown", "unknown"],
  ["no:address", "no:address"],
])("the address %s counts as %s", (address, key) => {
  expect(httpRateLimitKeyOfAddress(address)).toBe(key);
});

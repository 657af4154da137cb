import { expect, test } from "bun:test";
import fc from "fast-check";
import { type CallSlots, grantCalls, SLOT_MS } from "../../src/cluster/rate-window.ts";

const MINUTE = 60_000;

test("no minute has more calls than the limit, whenever blocks are reserved and used", () => {
  const asks = fc.array(
    fc.record({ afterMs: fc.nat(20_000), most: fc.integer({ min: 1, max: 9 }), lateMs: fc.nat(SLOT_MS) }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(asks, fc.integer({ min: 1, max: 30 }), fc.nat(SLOT_MS), (asked, limit, start) => {
      let now = start;
      let slots: CallSlots = [];
      const used: number[] = [];
      for (const { afterMs, most, lateMs } of asked) {
        now += afterMs;
        const grant = grantCalls(slots, now, limit, most);
        if (grant.granted > 0) slots = grant.slots;
        for (let nth = 0; nth < grant.granted; nth++) used.push(now + Math.min(lateMs, grant.validMs - 1));
      }
      for (const at of used)
        expect(used.filter((other) => other > at - MINUTE && other <= at).length).toBeLessThanOrEqual(limit);
    }),
  );
});

test("a rejected caller is granted calls after the stated time, and none before", () => {
  let { slots } = grantCalls([], 1_000, 10, 10);
  const { granted, waitMs } = grantCalls(slots, 20_000, 10, 1);
  expect(granted).toBe(0);
  expect(waitMs).toBe(65_000 - 20_000);
  expect(grantCalls(slots, 20_000 + waitMs - 1, 10, 1).granted).toBe(0);
  const again = grantCalls(slots, 20_000 + waitMs, 10, 4);
  expect(again.granted).toBe(4);
  slots = again.slots;
  expect(slots).toEqual([[13, 4]]);
});

import { expect, test } from "bun:test";
import { appCallCountText, appLabelWithDetails, isAppCallLimitLow } from "../../src/web/app/app-call-cost.ts";

const left = (remaining: number) => ({ limit: 1000, remaining, resetsAt: "2026-01-02T00:00:00Z" });

test("calls are stated where few are left today, or where an act takes a tenth of them", () => {
  expect([101, 100, 0].map((remaining) => isAppCallLimitLow(left(remaining)))).toEqual([false, true, true]);
  expect(appCallCountText(left(1000), 1)).toBeUndefined();
  expect(appCallCountText(left(1000), 99)).toBeUndefined();
  expect(appCallCountText(left(1000), 100)).toBe("100 API calls");
  expect(appCallCountText(left(100), 1)).toBe("1 API call");
  expect(appCallCountText(undefined, 1000)).toBeUndefined();
});

test("the text of a button has its details in parentheses", () => {
  expect(appLabelWithDetails("Load all", undefined, "about 2 minutes")).toBe("Load all (about 2 minutes)");
  expect(appLabelWithDetails("Refresh", undefined)).toBe("Refresh");
});

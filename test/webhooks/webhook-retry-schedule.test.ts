import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_DELAY_MS, nextWebhookAttemptAt } from "../../src/webhooks/webhook-retry-schedule.ts";

// Rule: retry-times
test("attempts that fail at once start at 0, 5 and 35 s", () => {
  const second = nextWebhookAttemptAt(1, 1_000_000, 3)!;
  expect(second).toBe(1_005_000);
  expect(nextWebhookAttemptAt(2, second, 3)).toBe(1_035_000);
});

test("an attempt longer than the delay postpones the next one until it has ended", () => {
  expect(nextWebhookAttemptAt(1, 1_000_000, 8_000)).toBe(1_008_000);
  expect(nextWebhookAttemptAt(2, 1_000_000, 8_000)).toBe(1_030_000);
});

test("no attempt follows the last one, and no delay exceeds MAX_DELAY_MS", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(8_000), (attempt, durationMs) => {
      const next = nextWebhookAttemptAt(attempt, 0, durationMs);
      expect(next === null).toBe(attempt >= 3);
      if (next !== null) expect(next).toBeWithin(durationMs, MAX_DELAY_MS + 1);
    }),
  );
});

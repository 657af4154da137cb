import { expect, test } from "bun:test";
import {
  type EndpointHealth,
  HEALTHY,
  webhookEndpointHealthAfter,
} from "../../src/webhooks/webhook-endpoint-health.ts";

const LIMITS = { failures: 3, failingMs: 1_000 };
const failed = (startedAt: number, error = "HTTP 500") => ({ ok: false, error, startedAt });
const after = (attempts: { ok: boolean; error: string | null; startedAt: number }[], health = HEALTHY) =>
  attempts.reduce<EndpointHealth>(
    (before, attempt) => webhookEndpointHealthAfter(before, attempt, LIMITS),
    health,
  );

test("an endpoint is paused once it reaches both limits, not before", () => {
  expect(after([failed(0), failed(500), failed(999)]).pausedAt).toBeNull();
  expect(after([failed(0), failed(1_000)]).pausedAt).toBeNull();
  expect(after([failed(0), failed(500), failed(1_000, "no response")])).toEqual({
    failures: 3,
    failingSince: 0,
    pausedAt: 1_000,
    lastError: "no response",
  });
});

test("failingSince is the earliest start of a failure, whichever ended first", () => {
  const health = after([failed(800), failed(100), failed(900)]);
  expect(health).toMatchObject({ failures: 3, failingSince: 100, pausedAt: null });
  expect(after([failed(1_100)], health).pausedAt).toBe(1_100);
});

test("pausedAt stays the same through further failures until a success", () => {
  const paused = after([failed(0), failed(500), failed(1_000)]);
  expect(after([failed(1_500), failed(400), failed(9_000)], paused)).toMatchObject({
    failures: 6,
    failingSince: 0,
    pausedAt: 1_000,
  });
  expect(after([{ ok: true, error: null, startedAt: 9_500 }], paused)).toEqual(HEALTHY);
});

test("a success resets all failures", () => {
  const attempts = [failed(0), failed(500), { ok: true, error: null, startedAt: 600 }, failed(2_000)];
  expect(after(attempts)).toMatchObject({ failures: 1, failingSince: 2_000, pausedAt: null });
});

import { expect, test } from "bun:test";
import { serverMonotonicClock } from "../../src/server/server-monotonic-clock.ts";

test("a monotonic clock follows the clock forward, advances by the monotonic clock while it is behind, and starts no earlier than given", () => {
  const [wall, tick] = [{ at: 1_000 }, { at: 50 }];
  const clock = serverMonotonicClock(
    () => wall.at,
    () => tick.at,
    5_000,
  );
  expect(clock()).toBe(5_000);
  tick.at += 10.5;
  expect(clock()).toBe(5_010);
  wall.at = 9_000;
  expect(clock()).toBe(9_000);
  wall.at = 2_000;
  tick.at += 20;
  expect(clock()).toBe(9_020);
});

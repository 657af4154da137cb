import { expect, test } from "bun:test";
import { ClusterClock } from "../../src/cluster/cluster-clock.ts";

const MONTH = 30 * 86_400_000;
const HOUR = 3_600_000;
const START = Date.parse("2026-03-10T12:00:00Z");

/** A server and its database, each with a clock of its own, and a monotonic clock that stands still in a pause. */
function machine(offMs: number) {
  let monotonicMs = 5_000;
  let database = START;
  let own = START + offMs;
  const clock = new ClusterClock(
    () => own,
    () => monotonicMs,
  );
  return {
    clock,
    database: () => database,
    pass: (ms: number, monotonic = ms) => {
      database += ms;
      own += ms;
      monotonicMs += monotonic;
    },
    set: (offMs: number) => {
      own = database + offMs;
    },
    heartbeat: () => clock.compare(clock.read(), database),
  };
}

// Rule: clock-jump
test("a server whose clock was wrong from the start follows the database's", async () => {
  const { clock, database, pass, set, heartbeat } = machine(MONTH);
  await clock.start(async () => database());
  expect(clock.now()).toBe(START);
  pass(HOUR, 0);
  heartbeat();
  expect(clock.now()).toBe(START + HOUR);
  set(0);
  heartbeat();
  set(-MONTH);
  heartbeat();
  pass(5_000);
  expect(clock.now()).toBe(START + HOUR + 5_000);
});

// Rule: clock-jump
test("a server whose clock was right continues from there, whichever of the two jumps", async () => {
  const { clock, database, pass, set, heartbeat } = machine(0);
  await clock.start(async () => database());
  set(MONTH);
  expect(heartbeat()).toBe(MONTH);
  pass(HOUR);
  expect(heartbeat()).toBe(MONTH);
  expect(clock.now()).toBe(START + HOUR);
});

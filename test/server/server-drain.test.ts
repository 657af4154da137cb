import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load-config.ts";
import { Drain, serverDrainSeconds } from "../../src/server/server-drain.ts";

const secondsFor = (alive: number, env: Record<string, string> = {}) =>
  serverDrainSeconds(loadConfig({ env, cwd: "/nowhere" }), { alive: () => alive });

// Rule: drain
test("by default, a server drains only if another one can take over", () => {
  expect(secondsFor(1)).toBe(0);
  expect(secondsFor(2)).toBe(8);
});

// Rule: drain
test("a number applies with and without other servers", () => {
  for (const alive of [1, 3]) {
    expect(secondsFor(alive, { MAINSTAY_SERVER__DRAIN_S: "20" })).toBe(20);
    expect(secondsFor(alive, { MAINSTAY_SERVER__DRAIN_S: "0" })).toBe(0);
  }
});

test.each(["-1", "601", "1.5", "never", "", "5s", "true"])("server.drain_s rejects %j", (value) => {
  const load = () => loadConfig({ env: { MAINSTAY_SERVER__DRAIN_S: value }, cwd: "/nowhere" });
  expect(load).toThrow(
    `MAINSTAY_SERVER__DRAIN_S: expected "auto" or a whole number from 0 to 600, got ${JSON.stringify(value)}`,
  );
});

test("an interruption ends the wait, once", async () => {
  const drain = new Drain();
  expect([drain.hasBegun(), drain.interrupt()]).toEqual([false, false]);
  const waiting = new Drain();
  const ended = waiting.run(600);
  expect([waiting.hasBegun(), waiting.interrupt()]).toEqual([true, true]);
  await ended;
  expect([waiting.hasBegun(), waiting.interrupt()]).toEqual([true, false]);
});

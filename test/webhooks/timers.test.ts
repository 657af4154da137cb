import { describe, expect, test } from "bun:test";
import { systemTimers, type Timers } from "../../src/event-loop/event-loop.ts";
import { ManualTime } from "./manual-time.ts";

describe.each([
  [
    "of the system",
    () => ({
      timers: systemTimers,
      pass: (ms: number) => new Promise<void>((done) => systemTimers.set(done, ms)),
    }),
  ],
  [
    "in simulated time",
    () => {
      const time = new ManualTime();
      return { timers: time.timersPort, pass: (ms: number) => time.advance(ms) };
    },
  ],
])("timers %s", (_, open: () => { timers: Timers; pass: (ms: number) => Promise<unknown> }) => {
  test("fire once each, in the order of their delays, and after set has returned", async () => {
    const { timers, pass } = open();
    const fired: string[] = [];
    timers.set(() => fired.push("at once"), 0);
    // Far enough apart that a busy machine cannot make the later one due first.
    timers.set(() => fired.push("late"), 600);
    timers.set(() => fired.push("soon"), 20);
    expect(fired).toEqual([]);
    await pass(700);
    await pass(60);
    expect(fired).toEqual(["at once", "soon", "late"]);
  });

  test("do not fire after they are cleared, even by another timer", async () => {
    const { timers, pass } = open();
    const fired: string[] = [];
    timers.clear(timers.set(() => fired.push("cleared"), 1));
    const later = timers.set(() => fired.push("cleared later"), 40);
    timers.set(() => timers.clear(later), 1);
    const kept = timers.set(() => fired.push("kept"), 1);
    await pass(60);
    for (const timer of [kept, undefined, null]) timers.clear(timer);
    await pass(60);
    expect(fired).toEqual(["kept"]);
  });

  test("can set other timers", async () => {
    const { timers, pass } = open();
    let rounds = 0;
    const again = () => void (++rounds < 3 && timers.set(again, 1));
    timers.set(again, 1);
    await pass(60);
    await pass(60);
    expect(rounds).toBe(3);
  });
});

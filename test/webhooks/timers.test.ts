import { describe, expect, test } from "bun:test";
import { systemTimers, type Timers } from "../../src/webhooks/timers.ts";
import { ManualTime } from "./manual-time.ts";

describe.each([
  [
    "the system's",
    () => ({ timers: systemTimers, pass: () => new Promise<void>((done) => systemTimers.set(done, 60)) }),
  ],
  [
    "those in a test's hand",
    () => {
      const time = new ManualTime();
      return { timers: time.timersPort, pass: () => time.advance(60) };
    },
  ],
])("timers, %s,", (_, open: () => { timers: Timers; pass: () => Promise<unknown> }) => {
  test("fire once each, by their delays, and never before they are set", async () => {
    const { timers, pass } = open();
    const fired: string[] = [];
    timers.set(() => fired.push("late"), 40);
    timers.set(() => fired.push("soon"), 20);
    timers.set(() => fired.push("at once"), 0);
    expect(fired).toEqual([]);
    await pass();
    await pass();
    expect(fired).toEqual(["at once", "soon", "late"]);
  });

  test("do not fire once they are cleared, also by another's firing", async () => {
    const { timers, pass } = open();
    const fired: string[] = [];
    timers.clear(timers.set(() => fired.push("cleared"), 1));
    const later = timers.set(() => fired.push("cleared later"), 40);
    timers.set(() => timers.clear(later), 1);
    const kept = timers.set(() => fired.push("kept"), 1);
    await pass();
    for (const timer of [kept, undefined, null]) timers.clear(timer);
    await pass();
    expect(fired).toEqual(["kept"]);
  });

  test("may set others when they fire", async () => {
    const { timers, pass } = open();
    let rounds = 0;
    const again = () => void (++rounds < 3 && timers.set(again, 1));
    timers.set(again, 1);
    await pass();
    await pass();
    expect(rounds).toBe(3);
  });
});

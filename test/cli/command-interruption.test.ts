import { expect, test } from "bun:test";
import { Interrupted, Interruption } from "../../src/cli/command-interruption.ts";

/** An interruption that records exit codes, with a timer that the test fires. */
function interruption() {
  const exits: number[] = [];
  const timers: (() => void)[] = [];
  const made = new Interruption(
    (code) => void exits.push(code),
    (_, run) => void timers.push(run),
  );
  return { made, exits, timers };
}
const yieldNow = async () => {};

test("a signal ends a command at once, unless it works in steps", async () => {
  const { made, exits } = interruption();
  made.begin(130);
  expect(exits).toEqual([130]);
});

test("a signal ends a command that works in steps at the end of its step", async () => {
  const { made, exits } = interruption();
  const step = made.betweenSteps(yieldNow);
  await step();
  made.begin(143);
  const error = await step().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Interrupted);
  expect(error.exitCode).toBe(143);
  expect(exits).toEqual([]);
});

test("a second signal, or a step that takes too long, ends it at once", async () => {
  const { made, exits, timers } = interruption();
  made.betweenSteps(yieldNow);
  made.begin(143);
  made.begin(130);
  expect(exits).toEqual([130]);
  for (const fire of timers) fire();
  expect(exits).toEqual([130, 143]);
});

test("a terminal that is lost ends it at the end of its step, however many signals say so", async () => {
  const { made, exits } = interruption();
  const step = made.betweenSteps(yieldNow);
  made.hangUp(129);
  made.hangUp(129);
  expect(exits).toEqual([]);
  expect(await step().catch((thrown) => thrown)).toMatchObject({ exitCode: 129 });
});

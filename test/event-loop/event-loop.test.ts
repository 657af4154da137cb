import { expect, test } from "bun:test";
import {
  abortableEventLoopYield,
  waitForLaterIteration,
  yieldInBackground,
  yieldToEventLoop,
  yieldToNextIteration,
} from "../../src/event-loop/event-loop.ts";
import { InProcessKeyedMutex } from "../../src/event-loop/in-process-keyed-mutex.ts";

/** Runs slices of work one after the other, each of which is logged. */
async function work(name: string, slices: number, yieldNow: () => Promise<void>, log: string[]) {
  for (let slice = 0; slice < slices; slice++) {
    log.push(name);
    await yieldNow();
  }
}

const { signal } = new AbortController();

// Rule: requests-first
test("background work runs between the slices of a request, and gets a small share of the time", async () => {
  const log: string[] = [];
  await Promise.all([
    work("request", 40, abortableEventLoopYield(signal), log),
    work(
      "background",
      100,
      yieldInBackground(signal, () => 0),
      log,
    ),
  ]);
  const lastOfRequest = log.lastIndexOf("request");
  const meanwhile = log.slice(0, lastOfRequest).filter((name) => name === "background").length;
  expect(meanwhile).toBeGreaterThanOrEqual(4);
  expect(meanwhile).toBeLessThanOrEqual(8);
  expect(log.filter((name) => name === "background")).toHaveLength(100);
});

// Rule: requests-first
test("a request that was aborted does not slow background work down", async () => {
  const abort = new AbortController();
  const log: string[] = [];
  const request = work("request", 40, abortableEventLoopYield(abort.signal), log);
  abort.abort(new Error("the client left"));
  await expect(request).rejects.toThrow("the client left");
  const before = log.length;
  const other = work("other", 30, () => new Promise((resolve) => setImmediate(resolve)), log);
  await Promise.all([work("background", 3, yieldInBackground(signal), log), other]);
  expect(log.slice(before, before + 6).filter((name) => name === "background")).toHaveLength(3);
  await expect(yieldInBackground(abort.signal)()).rejects.toThrow("the client left");
});

// Rule: requests-first
test("background work waits for slow requests no longer than 40 ms", async () => {
  const log: string[] = [];
  let now = 0;
  const slowly = async () => {
    now += 20;
    await abortableEventLoopYield(signal)();
  };
  await Promise.all([
    work("request", 40, slowly, log),
    work(
      "background",
      20,
      yieldInBackground(signal, () => now),
      log,
    ),
  ]);
  const meanwhile = log.slice(0, log.lastIndexOf("request")).filter((name) => name === "background").length;
  expect(meanwhile).toBeGreaterThanOrEqual(19);
});

/** Runs tasks, each of which works for 3 ms after `wait`, and returns their names in order, by iteration of the event loop. */
async function iterationsOf(
  names: readonly number[],
  wait: () => Promise<void> | undefined,
): Promise<number[][]> {
  // The callbacks that the test before has scheduled would continue callers of this one.
  await yieldToNextIteration();
  const iterations: number[][] = [[]];
  let isOver = false;
  const countIterations = () => {
    iterations.push([]);
    if (!isOver) setImmediate(countIterations);
  };
  setImmediate(countIterations);
  const task = async (name: number) => {
    const later = wait();
    if (later) await later;
    iterations.at(-1)!.push(name);
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  await Promise.all(names.map(task));
  isOver = true;
  return iterations;
}
const NAMES = Array.from({ length: 40 }, (_, name) => name);

// Rule: requests-first
test("an iteration of the event loop runs a few slices, however many callers have yielded", async () => {
  const iterations = await iterationsOf(NAMES, yieldToEventLoop);
  expect(Math.max(...iterations.map((some) => some.length))).toBeLessThanOrEqual(4);
  expect(iterations.flat()).toEqual(NAMES);
});

// Rule: requests-first
test("of requests that arrive together, a few start at once, and the others in later iterations", async () => {
  const iterations = await iterationsOf(NAMES, waitForLaterIteration);
  expect(Math.max(...iterations.map((some) => some.length))).toBeLessThanOrEqual(4);
  expect(iterations.flat()).toEqual(NAMES);
});

test("work on a key whose caller leaves while it waits ends at once, and what waits behind it runs in its turn", async () => {
  const mutex = new InProcessKeyedMutex();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const running = mutex.run("a", () => first.promise);
  const leaving = new AbortController();
  const left = mutex.run("a", async () => void log.push("left"), leaving.signal);
  const behind = mutex.run("a", async () => void log.push("behind"), new AbortController().signal);
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(log).toEqual([]);
  first.resolve();
  await Promise.all([running, behind]);
  expect(log).toEqual(["behind"]);
  await expect(mutex.run("a", async () => {}, leaving.signal)).rejects.toThrow("gone");
});

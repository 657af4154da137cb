/*
 * The longest stretch of work between two iterations of the event loop, in processor time of this thread: not elapsed
 * time, which other programs increase, nor the time of the threads that collect garbage and compile. It includes the
 * test's own side of a call, which is small.
 */

/** The bound of a stretch. Reading a body of 5 MB takes three fifths of it, and so does the end of a snapshot. */
const LONGEST_MS = 50;

/** Returns the result of the work, and its longest stretch in milliseconds. */
export async function watched<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  let longestMs = 0;
  let isRunning = true;
  const ticks = (async () => {
    while (isRunning) {
      const before = process.threadCpuUsage();
      await new Promise((resolve) => setImmediate(resolve));
      longestMs = Math.max(longestMs, millisecondsSince(before));
    }
  })();
  const result = await work().finally(() => {
    isRunning = false;
  });
  await ticks;
  return { result, longestMs };
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const FIXED = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `part ${i}` })));
/**
 * The repetitions of a parse that take `LONGEST_MS` on a core of 2026, also on a shared one; longer on a slower core.
 */
const TIMES = 25;

function slowness(): number {
  const before = process.threadCpuUsage();
  for (let n = 0; n < TIMES; n++) JSON.parse(FIXED);
  return Math.max(1, millisecondsSince(before) / LONGEST_MS);
}

/** True where the longest stretch exceeds the bound on a machine as fast as this one is now. */
export const isTooLong = (ms: number, longestMs = LONGEST_MS): boolean =>
  ms > longestMs && ms > longestMs * slowness();

/** Attempts, of which the shortest counts: a long step is long each time, unlike the first run of code. */
const ATTEMPTS = 3;

/** Half of the bound: twice the work of a test holds it, too. */
export const BRIEF_MS = LONGEST_MS / 2;

/** Does the work until each stretch is brief; returns its result, and throws if some never is. */
export async function briefly<T>(what: string, work: () => Promise<T>): Promise<T> {
  const stretches: string[] = [];
  for (let n = 0; n < ATTEMPTS; n++) {
    const { result, longestMs } = await watched(work);
    if (!isTooLong(longestMs, BRIEF_MS)) return result;
    stretches.push(`${longestMs.toFixed(0)} ms`);
  }
  throw new Error(`${what} blocks the event loop for ${stretches.join(", ")}`);
}

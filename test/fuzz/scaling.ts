import { attempt, MOST_MS } from "./attempt.ts";
import type { Target } from "./target.ts";

const SMALL = 16_384;
const TIMES = 8;
/** Four times the linear growth, and the noise of a short measurement. */
const MOST_RATIO = 4 * TIMES;
const NOISE_MS = 100;
const REPEATS = 3;

/** Returns the input with a part repeated up to that size: its middle, so that its begin and end remain. */
function grown(input: Buffer, bytes: number): Buffer {
  const [from, until] = [Math.floor(input.length / 4), Math.ceil((input.length * 3) / 4)];
  const part = input.subarray(from, until);
  const times = Math.ceil((bytes - input.length) / Math.max(1, part.length));
  return Buffer.concat([
    input.subarray(0, until),
    ...Array.from({ length: times }, () => part),
    input.subarray(until),
  ]);
}

/** Returns the least processor time of a few repetitions, or the first that is not more than `enoughMs`. */
async function leastMs(target: Target, input: Buffer, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < REPEATS; nth++) {
    const before = process.cpuUsage();
    await attempt(target, input);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least <= enoughMs) break;
  }
  return least;
}

/** Returns what is wrong if an input eight times as long takes much more than eight times as long. */
export async function scalingFault(target: Target, input: Buffer): Promise<string | undefined> {
  if (input.length === 0) return undefined;
  const small = await leastMs(target, grown(input, SMALL), NOISE_MS / 10);
  if (small > MOST_MS) return `${SMALL} bytes take ${Math.round(small)} ms`;
  const mostMs = MOST_RATIO * small + NOISE_MS;
  const large = await leastMs(target, grown(input, TIMES * SMALL), mostMs);
  if (large <= mostMs) return undefined;
  return `${SMALL} bytes take ${small.toFixed(1)} ms, and ${TIMES} times as many ${Math.round(large)} ms`;
}

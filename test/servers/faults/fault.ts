import type { RoundContext } from "../round-context.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** A failure that a round injects. */
export type Fault = {
  name: string;
  what: string;
  /** It needs a storage that is a database. */
  needsDatabase?: boolean;
  /** It starts and stops the database itself, so that it cannot be combined with others that do. */
  ownsDatabase?: boolean;
  /** It takes more than a minute, so that it is not combined with others. */
  isLong?: boolean;
  /** Repeats until the signal, and leaves everything recovered: every server running, the database reachable. */
  inflict(context: RoundContext, random: SeededRandom, until: AbortSignal): Promise<void>;
};

const MENDED_WITHIN_MS = 60_000;

/** True where a fault failed only because another one took the database away. */
export const isGone = (error: unknown): boolean =>
  /ECONN|terminat|connection error|starting up|shutting down|not yet accepting|too many clients|remaining connection/i.test(
    String(error),
  );

/** Repeats a step that must succeed although another fault may take the database away meanwhile. */
export async function retryWhileGone<T>(work: () => Promise<T>, mayFail = isGone): Promise<T> {
  for (const endAt = performance.now() + MENDED_WITHIN_MS; ; await Bun.sleep(100))
    try {
      return await work();
    } catch (error) {
      if (!mayFail(error) || performance.now() > endAt) throw error;
    }
}

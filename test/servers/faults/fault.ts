import type { Random } from "../random.ts";
import type { World } from "../world.ts";

/** Something that goes wrong during a round. */
export type Fault = {
  name: string;
  what: string;
  /** The servers' storage is a database of its own. */
  needsDatabase?: boolean;
  /** It starts and ends the database itself: not one to mix with others that do. */
  ownsDatabase?: boolean;
  /** It takes more than a minute: not one to mix with others. */
  isLong?: boolean;
  /** Goes on until the signal, and leaves all mended: every server running, the database there. */
  inflict(world: World, random: Random, until: AbortSignal): Promise<void>;
};

const MENDED_WITHIN_MS = 60_000;

/** Whether a fault has failed only because another one took the database away from it. */
export const isGone = (error: unknown): boolean =>
  /ECONN|terminat|connection error|starting up|shutting down|not yet accepting|too many clients|remaining connection/i.test(
    String(error),
  );

/** What must be done although another fault may take the database meanwhile. */
export async function insist<T>(work: () => Promise<T>, mayFail = isGone): Promise<T> {
  for (const endAt = performance.now() + MENDED_WITHIN_MS; ; await Bun.sleep(100))
    try {
      return await work();
    } catch (error) {
      if (!mayFail(error) || performance.now() > endAt) throw error;
    }
}

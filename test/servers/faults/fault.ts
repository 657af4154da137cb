import type { Random } from "../random.ts";
import type { World } from "../world.ts";

/** Something that goes wrong during a round. */
export type Fault = {
  name: string;
  what: string;
  /** The servers' storage is a database of its own. */
  needsDatabase?: boolean;
  /** It takes more than a minute: not one to mix with others. */
  isLong?: boolean;
  /** Goes on until the signal, and leaves all mended: every server running, the database there. */
  inflict(world: World, random: Random, until: AbortSignal): Promise<void>;
};

/** Whether a fault has failed only because another one took the database away from it. */
export const isGone = (error: unknown): boolean =>
  /ECONN|terminat|starting up|shutting down/.test(String(error));

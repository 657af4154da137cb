import type { Random } from "../random.ts";
import type { World } from "../world.ts";

/** Something that goes wrong during a round. */
export type Fault = {
  name: string;
  what: string;
  /** Goes on until the signal, and leaves all mended: every server running, the database there. */
  inflict(world: World, random: Random, until: AbortSignal): Promise<void>;
};

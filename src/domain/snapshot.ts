import type { Day } from "./time.ts";

/** What a day's snapshot came to. */
export type SnapshotResult = {
  date: Day;
  components: number;
  /** Whose score differs from the one before. */
  changed: number;
  critical: number;
  warning: number;
  good: number;
  /** Tier changes announced. */
  announced: number;
  /** Tier changes that nobody is told of: another model than in the snapshot before made them. */
  heldBack: number;
  durationMs: number;
  /** Another run had done this day before. */
  alreadyDone: boolean;
};

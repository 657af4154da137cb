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
  /** Deliveries that these came to: a partner without a receiver gets none. */
  queued: number;
  /** Partners that have components, and no receiver. */
  withoutReceiver: { id: string; name: string }[];
  /** What was registered since an earlier run of the day, and is taken in by this one; null when nothing was. */
  added: { components: number; announced: number; queued: number } | null;
  /** Tier changes that nobody is told of: another model than in the snapshot before made them. */
  heldBack: number;
  durationMs: number;
  /** Another run had done this day before. */
  alreadyDone: boolean;
  /** Another server, which took part in it, has ended it. */
  endedByAnotherServer: boolean;
};

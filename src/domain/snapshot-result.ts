import type { Day } from "./time.ts";

/** The result of a day's snapshot. */
export type SnapshotResult = {
  date: Day;
  components: number;
  /** Components whose score changed. */
  changed: number;
  critical: number;
  warning: number;
  good: number;
  /** Tier changes announced. */
  announced: number;
  /** Deliveries queued for them. A partner without a webhook endpoint gets none. */
  queued: number;
  /** Partners with components but without a webhook endpoint. */
  withoutEndpoint: { id: string; name: string }[];
  /** The part of this run for components registered since an earlier run of the day; null on the first run. */
  added: { components: number; announced: number; queued: number } | null;
  /** Tier changes that are not announced, since a new model causes them. */
  suppressed: number;
  durationMs: number;
  /** True if an earlier run had already completed this day. */
  alreadyDone: boolean;
  /** True if another server completed the run. */
  endedByAnotherServer: boolean;
};

import type { Instant } from "./time.ts";

/** What came of asking for a job: it has begun, or runs already, here or on another server. */
export type JobBeginning = "begun" | "running here" | "running elsewhere";

/** Something that a server does by the clock, and how it goes. */
export type JobState = {
  name: string;
  /** A cron pattern in UTC, with seconds; null for what runs at the start alone. */
  pattern: string | null;
  running: boolean;
  /** Since the start of the server; null when it has not run yet. */
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Why the latest run failed; null when it did not. */
  error: string | null;
  nextAt: Instant | null;
};

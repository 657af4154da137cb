import type { Instant } from "../domain/time.ts";

/** The result of a request to start a job. */
export type MonitoredJobStart = "begun" | "running here" | "running elsewhere";

/** A scheduled job and its latest run. */
export type MonitoredJobState = {
  name: string;
  /** A cron pattern in UTC, with seconds; null for a job that runs only at startup. */
  pattern: string | null;
  running: boolean;
  /** Null until the first run since the server started. */
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** The error of the latest run; null if it succeeded. */
  error: string | null;
  nextAt: Instant | null;
};

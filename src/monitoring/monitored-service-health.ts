import type { Day, Instant } from "../domain/time.ts";

/** The health of the service, as `/health` returns it. */
export type ServiceHealth = {
  /** `draining` while the server stops and still accepts requests. */
  status: "ok" | "degraded" | "draining";
  version: string;
  uptimeMs: number;
  checks: {
    /** `full` if writes are rejected because the disk is full. */
    database: "ok" | "full" | "failed";
    scheduler: "ok" | "late" | "off";
    outbox: "ok" | "stopped";
    pages: PageState;
    /** `off` if the server's clock differs from the database's by more than a minute, or is behind the newest record. */
    clock: "ok" | "off";
  };
  lastSnapshot: { date: Day; finishedAt: Instant } | null;
  /** The latest scheduled backup; null before the first. */
  lastBackup: {
    at: Instant;
    ok: boolean;
    /** The result of a test restore; null if none was made. */
    drillOk: boolean | null;
    bytes: number | null;
    durationMs: number;
  } | null;
};

/** The times of records rise by a millisecond at least, so that a fast import may date its own minutes ahead of the clock. */
const RECORDS_AHEAD_MS = 3_600_000;

/** Returns whether the clock is behind the newest record: it is wrong, or was ahead when that record was written. */
export const isMonitoredClockBehindRecords = (now: Instant, newest: Instant) =>
  newest - now > RECORDS_AHEAD_MS;

/** The integrity of the database's pages, as far as they have been checked. */
export type PageState = "checking" | "ok" | "damaged" | "unknown";

/** The states of health checks in which nothing needs to be done. */
const PASSING: ReadonlySet<string> = new Set(["ok", "checking"]);

/** Returns true for a check that needs no action. `off` is deliberate for the scheduler, and a fault for the clock. */
export const isPassingMonitoredCheck = (check: string, state: string) =>
  PASSING.has(state) || (check === "scheduler" && state === "off");

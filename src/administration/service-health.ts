import type { Day, Instant } from "../domain/time.ts";

/** The health of the service, as `/health` returns it. */
export type ServiceHealth = {
  /** `draining` while the server stops and still accepts requests. */
  status: "ok" | "degraded" | "draining";
  version: string;
  uptimeMs: number;
  checks: {
    database: "ok" | "failed";
    scheduler: "ok" | "late" | "off";
    outbox: "ok" | "stopped";
    pages: PageState;
    /** `off` if the server's clock differs from the database's by more than a minute. */
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

/** The integrity of the database's pages, as far as they have been checked. */
export type PageState = "checking" | "ok" | "damaged" | "unknown";

/** The states of health checks in which nothing needs to be done. */
const PASSING: ReadonlySet<string> = new Set(["ok", "checking"]);

/** Returns true for a check that needs no action. `off` is deliberate for the scheduler, and a fault for the clock. */
export const isPassingCheck = (check: string, state: string) =>
  PASSING.has(state) || (check === "scheduler" && state === "off");

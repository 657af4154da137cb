import type { Day, Instant } from "./time.ts";

/** Whether the service can do its work. */
export type Health = {
  status: "ok" | "degraded";
  version: string;
  uptimeMs: number;
  checks: {
    database: "ok" | "failed";
    scheduler: "ok" | "late" | "off";
    outbox: "ok" | "stopped";
    pages: PageState;
    /** Whether the server's clock agrees with the database's, to a minute. */
    clock: "ok" | "off";
  };
  lastSnapshot: { date: Day; finishedAt: Instant } | null;
  /** The latest scheduled backup. */
  lastBackup: {
    at: Instant;
    ok: boolean;
    /** Whether it could be restored; null when that was not tried. */
    drillOk: boolean | null;
    bytes: number | null;
    durationMs: number;
  } | null;
};

/** Whether the database's pages are whole, as far as they were looked through. */
export type PageState = "checking" | "ok" | "damaged" | "unknown";

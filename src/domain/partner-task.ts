import type { Instant } from "./time.ts";

export const PARTNER_TASKS = ["announce", "purge"] as const;

/** A long-running task on a partner, started by an administrator. */
export type PartnerTask = {
  kind: (typeof PARTNER_TASKS)[number];
  status: "running" | "done" | "failed";
  startedAt: Instant;
  finishedAt: Instant | null;
  /** The reason of a failure, in words. */
  error: string | null;
  /** The numbers of deliveries queued, or of rows and files deleted; null until the task is done. */
  counts: Readonly<Record<string, number>> | null;
};

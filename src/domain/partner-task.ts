import type { Instant } from "./time.ts";

export const PARTNER_TASKS = ["announce", "purge"] as const;

/** Something long that an administrator has asked to be done to a partner, and what became of it. */
export type PartnerTask = {
  kind: (typeof PARTNER_TASKS)[number];
  status: "running" | "done" | "failed";
  startedAt: Instant;
  finishedAt: Instant | null;
  /** Why it failed, in words. */
  error: string | null;
  /** Deliveries that were queued, rows and files that were deleted; null until it is done. */
  counts: Readonly<Record<string, number>> | null;
};

import type { Instant } from "./time.ts";

/** One thing that an operator has to know of a running server. */
type OverviewCheck = {
  name: string;
  status: "ok" | "warn" | "fail";
  /** What is so, in a sentence's words. */
  detail: string;
  /** What to do about it; null when nothing is to be done. */
  remedy: string | null;
};

/** Whether all is well with a running server, and how much it holds. */
export type Overview = {
  at: Instant;
  version: string;
  uptimeMs: number;
  checks: OverviewCheck[];
  properties: number;
  components: number;
  critical: number;
  warning: number;
  /** Deliveries that wait or are under way. */
  deliveriesPending: number;
};

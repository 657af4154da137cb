import type { Instant } from "../domain/time.ts";

/** A check of a running server. */
type OverviewCheck = {
  name: string;
  status: "ok" | "warn" | "fail";
  /** The finding, as a sentence. */
  detail: string;
  /** The action to take; null if none is needed. */
  remedy: string | null;
};

/** The checks of a running server and the size of its data. */
export type ServerOverview = {
  at: Instant;
  version: string;
  uptimeMs: number;
  checks: OverviewCheck[];
  properties: number;
  components: number;
  critical: number;
  warning: number;
  /** Deliveries that are queued or in progress. */
  deliveriesPending: number;
  /** Deliveries created within 24 hours that failed after all attempts. */
  deliveriesFailed: number;
};

import type { Day, Instant } from "./time.ts";

/** The states of work that are stored. Work without one is open. */
export const WORK_STATES = ["ordered", "deferred"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** Work on a component, or on an appliance as a whole, as somebody has marked it. No figure of a plan depends on it. */
export type Work = {
  /** The component, or the appliance. */
  subjectId: string;
  applianceId: string;
  componentId: string | null;
  state: WorkState;
  /** The day until which it is deferred; null if it is ordered. */
  until: Day | null;
  /** The person who marked it. */
  by: string;
  reason: string | null;
  markedAt: Instant;
};

/** Returns whether work waits on a day for a later one. */
export const isDeferred = ({ until }: Pick<Work, "until">, today: Day): boolean =>
  until !== null && until > today;

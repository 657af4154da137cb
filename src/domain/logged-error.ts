import type { Instant } from "./time.ts";

/** An error that the server has logged. */
export type LoggedError = {
  at: Instant;
  /** What it was about, in the log's words. */
  message: string;
  /** What was wrong, where an error says so. */
  reason: string | null;
  /** The call that it befell, by which the log finds more; null for what no call has asked for. */
  requestId: string | null;
};

import type { Instant } from "../domain/time.ts";

/** An error in the server's log. */
export type LoggedError = {
  at: Instant;
  /** The message of the log line. */
  message: string;
  /** The message of the error itself; null without one. */
  reason: string | null;
  /** The API request that failed, to search the log by; null outside of a request. */
  requestId: string | null;
};

import type { Instant } from "../time.ts";

/** The latest requested fit of the model, on any server, and its state. */
export type CalibrationProposal = {
  /** The id of the stored fit; an earlier one's if the latest failed. Null without a stored fit. */
  id: string | null;
  status: "none" | "running" | "ready" | "failed" | "applied";
  /** The server or the user's command that runs it or ran it, in words. */
  by: string | null;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** The reason of a failure, in words. */
  error: string | null;
  /** The model version in use since it was applied. */
  modelVersion: string | null;
  /** The time at which the stored fit was made. */
  madeAt: Instant | null;
  /** The stored fit and its proof, as `mainstay calibrate --json` prints them. */
  report: Readonly<Record<string, unknown>> | null;
};

import type { Instant } from "./time.ts";

/** The latest fit of the model that was asked for, on whichever server, and what became of it. */
export type ModelProposal = {
  /** Of the fit that is kept with its proof, which may be the one before that has failed; null without one. */
  id: string | null;
  status: "none" | "running" | "ready" | "failed" | "applied";
  /** Who makes it or made it, in words: a server, or a user's command. */
  by: string | null;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Why it failed, in words. */
  error: string | null;
  /** What is in use after it was applied. */
  modelVersion: string | null;
  /** When the fit that is kept was made. */
  madeAt: Instant | null;
  /** The record of the fit and its proof, as `mainstay calibrate --json` prints it. */
  report: Readonly<Record<string, unknown>> | null;
};

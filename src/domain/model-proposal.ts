import type { Instant } from "./time.ts";

/** A fit of the model that an administrator asked for, and what became of it. */
export type ModelProposal = {
  /** Of the fit that is kept with its proof; null without one. */
  id: string | null;
  status: "none" | "running" | "ready" | "failed" | "applied";
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Why it failed, in words. */
  error: string | null;
  /** What is in use after it was applied. */
  modelVersion: string | null;
  /** The record of the fit and its proof, as `mainstay calibrate --json` prints it. */
  report: Readonly<Record<string, unknown>> | null;
};

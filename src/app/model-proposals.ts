import type { Config } from "../config/settings.ts";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { Instant } from "../domain/time.ts";
import { runOwnCommand } from "./own-command.ts";

/** Fits of the model that administrators ask for: one at a time, and the latest is remembered. */
export type ModelProposals = {
  state(): ModelProposal;
  /** Begins a fit; false while one is under way. */
  start(): boolean;
  /**
   * Fits anew and puts that to use; `force`: also without proof. `onApplied` is told the version. False while a fit is
   * under way, or none was seen.
   */
  apply(force: boolean, onApplied: (version: string) => Promise<void>): boolean;
  stop(): void;
};

const NONE: ModelProposal = {
  status: "none",
  startedAt: null,
  finishedAt: null,
  error: null,
  modelVersion: null,
  report: null,
};

/** Each fit is a process of its own, since it reads every history, whose memory is then given back. */
export function modelProposals(world: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
}): ModelProposals {
  const { config, env, clock } = world;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const abort = new AbortController();
  let state = NONE;

  const calibrate = async (flags: readonly string[], then: (report: Report) => Promise<ModelProposal>) => {
    state = { ...NONE, status: "running", startedAt: clock() };
    try {
      const args = ["calibrate", ...flags, "--data-dir", config.storage.dataDir, ...settings];
      state = await then((await runOwnCommand({ args, env, signal: abort.signal })) as Report);
    } catch (error) {
      state = { ...state, status: "failed", finishedAt: clock(), error: (error as Error).message };
    }
  };
  return {
    state: () => state,
    start() {
      if (state.status === "running") return false;
      void calibrate([], async (report) => ({
        ...state,
        status: "ready",
        finishedAt: clock(),
        report,
      }));
      return true;
    },
    apply(force, onApplied) {
      if (state.status !== "ready") return false;
      void calibrate(["--apply", ...(force ? ["--force"] : [])], async ({ model_version }) => {
        await onApplied(model_version);
        return { ...state, status: "applied", finishedAt: clock(), modelVersion: model_version };
      });
      return true;
    },
    stop: () => abort.abort(),
  };
}

type Report = Readonly<Record<string, unknown>> & { model_version: string };

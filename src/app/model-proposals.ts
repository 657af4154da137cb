import type { Config } from "../config/settings.ts";
import { keptFitId } from "../domain/calibration/model-version.ts";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import { inWords, runOwnCommand } from "./own-command.ts";

/** Fits of the model that administrators ask for: one at a time, and the latest is kept with its proof. */
export type ModelProposals = {
  state(): Promise<ModelProposal>;
  /** Begins a fit; false while one is under way. */
  start(): boolean;
  /** Is told that the fit that was kept is in use now. */
  applied(version: string): void;
  stop(): void;
};

const NONE: ModelProposal = {
  id: null,
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
  store: Pick<Store, "read">;
}): ModelProposals {
  const { config, env, clock, store } = world;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const abort = new AbortController();
  /** What this process knows beyond what is kept. */
  let latest = NONE;

  const fit = async () => {
    latest = { ...NONE, status: "running", startedAt: clock() };
    try {
      const args = ["calibrate", "--keep", "--data-dir", config.storage.dataDir, ...settings];
      await runOwnCommand({ args, env, signal: abort.signal });
      latest = NONE;
    } catch (error) {
      latest = { ...latest, status: "failed", finishedAt: clock(), error: inWords(error as Error) };
    }
  };
  return {
    async state() {
      if (latest.status === "running" || latest.status === "failed") return latest;
      const kept = await store.read.models.keptFit();
      if (!kept) return latest;
      return {
        ...NONE,
        id: keptFitId(kept),
        status: "ready",
        finishedAt: kept.madeAt,
        report: kept.evidence,
      };
    },
    start() {
      if (latest.status === "running") return false;
      void fit();
      return true;
    },
    applied(version) {
      latest = { ...NONE, status: "applied", finishedAt: clock(), modelVersion: version };
    },
    stop: () => abort.abort(),
  };
}

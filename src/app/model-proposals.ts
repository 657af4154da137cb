import type { Config } from "../config/settings.ts";
import { keptFitId } from "../domain/calibration/model-version.ts";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import { FIT_TURN, whoHas } from "../usecases/turns.ts";
import { inWords, runOwnCommand, STARTED_BY } from "./own-command.ts";
import type { Begun } from "./partner-tasks.ts";

/** Fits of the model that administrators ask for: one at a time, and the latest is kept with its proof. */
export type ModelProposals = {
  state(): Promise<ModelProposal>;
  /** Begins a fit in the name of `by`, this server in words. */
  start(by: string): Promise<Begun>;
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
  store: Pick<Store, "isShared" | "read">;
}): ModelProposals {
  const { config, env, clock, store } = world;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const abort = new AbortController();
  /** What this process knows beyond what is kept. */
  let latest = NONE;

  const fit = async (by: string) => {
    latest = { ...NONE, status: "running", startedAt: clock() };
    try {
      const args = ["calibrate", "--keep", "--data-dir", config.storage.dataDir, ...settings];
      await runOwnCommand({ args, env: { ...env, [STARTED_BY]: by }, signal: abort.signal });
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
    async start(by) {
      // That process takes the turn.
      const heldBy = latest.status === "running" ? undefined : await whoHas(store, FIT_TURN);
      if (heldBy !== undefined || latest.status === "running") return { heldBy };
      void fit(by);
      return "begun";
    },
    applied(version) {
      latest = { ...NONE, status: "applied", finishedAt: clock(), modelVersion: version };
    },
    stop: () => abort.abort(),
  };
}

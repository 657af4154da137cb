import { renewInBackground } from "../cluster/locks.ts";
import type { Config } from "../config/settings.ts";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { Logger } from "../log.ts";
import type { Store } from "../store/store.ts";
import { beginFit, failFit, latestFit } from "../usecases/calibration/fits.ts";
import { FIT_LOCK, inWords, runOwnCommand } from "./own-command.ts";

/** Fits of the model that administrators ask for: one at a time, and the latest is kept with its proof. */
export type ModelProposals = {
  state(): Promise<ModelProposal>;
  /** Begins a fit in the name of `by`, this server in words; else says who makes one. */
  start(asked: { by: string; actor: string }): Promise<"begun" | { heldBy: string }>;
  stop(): Promise<void>;
};

const STOPPED = "It was cut short, since the server was stopped. Ask for it again.";

/** Each fit is a process of its own, since it reads every history, whose memory is then given back. */
export function modelProposals(world: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  log: Logger;
  store: Pick<Store, "read" | "write">;
}): ModelProposals {
  const { config, env, log, store } = world;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const abort = new AbortController();
  let running: Promise<void> | undefined;

  /** The child process renews the lock as well, so that it keeps the lock if this server stops first. */
  const fit = async (lockId: string) => {
    const { stop } = renewInBackground(store, lockId);
    const args = ["calibrate", "--keep", "--data-dir", config.storage.dataDir, ...settings];
    try {
      await runOwnCommand({ args, env: { ...env, [FIT_LOCK]: lockId }, signal: abort.signal });
    } catch (error) {
      const why = abort.signal.aborted ? STOPPED : inWords(error as Error);
      await failFit(store, lockId, why).catch((failure) =>
        log.warn({ err: failure }, "why a fit of the model has failed could not be stored"),
      );
    } finally {
      stop();
    }
  };
  return {
    state: () => latestFit(store.read),
    async start(asked) {
      const begun = await beginFit(store, asked);
      if ("heldBy" in begun) return begun;
      running = fit(begun.id);
      return "begun";
    },
    async stop() {
      abort.abort();
      await running;
    },
  };
}

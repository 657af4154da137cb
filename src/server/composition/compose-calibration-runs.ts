import { renewClusterLockInBackground } from "../../cluster/cluster-locks.ts";
import type { Config } from "../../config/settings.ts";
import type { CalibrationProposal } from "../../domain/calibration/model-version.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Store } from "../../store/store.ts";
import {
  beginCalibration,
  failCalibration,
  loadLatestCalibration,
} from "../../usecases/calibration/calibration-runs.ts";
import { FIT_LOCK, runServerChildProcess, serverChildFailureText } from "../server-child-process.ts";

/** Calibrations requested by administrators: one at a time, and the latest is stored with its proof. */
export type CalibrationRuns = {
  state(): Promise<CalibrationProposal>;
  /** Starts a calibration; returns the holder's description if one is running. `by` describes this server. */
  start(request: { by: string; actor: string }): Promise<"begun" | { heldBy: string }>;
  stop(): Promise<void>;
};

const STOPPED = "Interrupted: the server was stopped. Run it again.";

/** Each calibration is a child process, since it reads every history; its memory is freed when it exits. */
export function composeCalibrationRuns(deps: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  log: Logger;
  store: Pick<Store, "read" | "write">;
}): CalibrationRuns {
  const { config, env, log, store } = deps;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const abort = new AbortController();
  let running: Promise<void> | undefined;

  /** The child process renews the lock as well, so that it keeps the lock if this server stops first. */
  const fit = async (lockId: string) => {
    const { stop } = renewClusterLockInBackground(store, lockId);
    const args = ["calibrate", "--keep", "--data-dir", config.storage.dataDir, ...settings];
    try {
      await runServerChildProcess({ args, env: { ...env, [FIT_LOCK]: lockId }, signal: abort.signal });
    } catch (error) {
      const why = abort.signal.aborted ? STOPPED : serverChildFailureText(error as Error);
      await failCalibration(store, lockId, why).catch((failure) =>
        log.warn({ err: failure }, "the failure of a calibration could not be stored"),
      );
    } finally {
      stop();
    }
  };
  return {
    state: () => loadLatestCalibration(store.read),
    async start(request) {
      const begun = await beginCalibration(store, request);
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

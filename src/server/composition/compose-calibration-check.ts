import type { Config } from "../../config/settings.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import type { ScheduledJob } from "../../jobs/job-schedule.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Store } from "../../store/store.ts";
import { runServerChildProcess } from "../server-child-process.ts";

/** Checked daily, so that a server that was off catches up. */
const PATTERN = "0 40 4 * * *";

/**
 * Measures monthly whether the active calibration still forecasts better than the default model. Runs as a child
 * process, since it reads every history; its memory is freed when it exits.
 */
export function composeCalibrationCheck(deps: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  log: Logger;
  store: Pick<Store, "read">;
  /** Runs a command of this executable and returns what it printed. */
  runCommand?: typeof runServerChildProcess;
}): ScheduledJob {
  const { config, env, clock, log, store, runCommand = runServerChildProcess } = deps;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  return {
    name: "check-model",
    pattern: PATTERN,
    async run(signal) {
      const inUse = await store.read.models.inUse();
      const latest = await store.read.models.latestCheck();
      const isDone = latest?.version === inUse?.version && monthOf(latest?.day) === monthOf(dayOf(clock()));
      if (!inUse || isDone) return;
      const check = await runCommand({ args: ["calibrate", "--check", ...settings], env, signal });
      const { model_version, worse_than_plain, validation } = check as Check;
      const found = { model_version, log_loss_difference: validation.log_loss_difference };
      if (worse_than_plain)
        log.warn(
          found,
          "the active calibration forecasts worse than the default model: recalibrate or revert",
        );
      else log.info(found, "the active calibration was checked against the default model");
    },
  };
}

const monthOf = (day: Day | undefined) => day?.slice(0, 7);

type Check = {
  model_version: string;
  worse_than_plain: boolean;
  validation: { log_loss_difference: unknown };
};

import { type LastBackup, readLastBackup, writeLastBackup } from "../backup/last-backup.ts";
import { takeScheduledBackup } from "../backup/scheduled.ts";
import type { Config } from "../config/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { Job } from "../jobs/schedule.ts";
import type { Logger } from "../log.ts";
import { selfExec } from "./self-exec.ts";

export type ScheduledBackups = {
  /** Empty without a schedule. */
  jobs: readonly Job[];
  /** Returns the outcome of the latest backup, by this process or an earlier one. */
  last: () => LastBackup | undefined;
};

/** Returns the backups that a running server takes on schedule. */
export function scheduledBackups(deps: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  log: Logger;
}): ScheduledBackups {
  const { config, env, clock, log } = deps;
  const { schedule, dir, keep } = config.backup;
  const { dataDir } = config.storage;
  const settings = config.file === undefined ? [] : ["--config", config.file];
  let last = readLastBackup(dataDir);
  const run = async (signal: AbortSignal) => {
    const runCommand = async (args: readonly string[], signal: AbortSignal) => {
      await selfExec({ args: [...args, ...settings], env, signal });
    };
    last = await takeScheduledBackup({ dataDir, dir, keep, clock, log, runCommand }, signal);
    await writeLastBackup(dataDir, last);
  };
  return { jobs: schedule === "" ? [] : [{ name: "backup", pattern: schedule, run }], last: () => last };
}

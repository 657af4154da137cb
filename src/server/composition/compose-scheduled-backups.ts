import { type LastBackup, readLastBackup, writeLastBackup } from "../../backup/last-backup.ts";
import { takeScheduledBackup } from "../../backup/scheduled-backup.ts";
import type { Config } from "../../config/settings.ts";
import type { Instant } from "../../domain/time.ts";
import type { ScheduledJob } from "../../jobs/job-schedule.ts";
import type { Logger } from "../../logging/logger.ts";
import type { LatestBackup } from "../../metrics/prometheus-database-metrics.ts";
import type { Store } from "../../store/store.ts";
import { runServerChildProcess } from "../server-child-process.ts";

export type ScheduledBackups = {
  /** Empty without a schedule. */
  jobs: readonly ScheduledJob[];
  /** Returns the outcome of the latest backup, by this process or an earlier one. */
  last: () => LastBackup | undefined;
};

/** Returns the backups that a running server takes on schedule. */
export function composeScheduledBackups(deps: {
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
      await runServerChildProcess({ args: [...args, ...settings], env, signal });
    };
    last = await takeScheduledBackup({ dataDir, dir, keep, clock, log, runCommand }, signal);
    await writeLastBackup(dataDir, last);
  };
  return { jobs: schedule === "" ? [] : [{ name: "backup", pattern: schedule, run }], last: () => last };
}

/** Returns the latest backup by the database's engine: a scheduled one, or the archiving of PostgreSQL's WAL. */
export async function composeLatestBackup(
  { walArchiving }: Pick<Store, "walArchiving">,
  lastScheduled: ScheduledBackups["last"],
): Promise<LatestBackup | undefined> {
  if (walArchiving) {
    const archiving = await walArchiving();
    if (!archiving || (archiving.archivedAt === null && !archiving.isFailing)) return undefined;
    const { archivedAt, isFailing } = archiving;
    return { engine: "postgresql", isOk: !isFailing, at: archivedAt, durationMs: undefined };
  }
  const last = lastScheduled();
  if (!last) return undefined;
  return {
    engine: "sqlite",
    isOk: last.drill_ok === true,
    at: Date.parse(last.at),
    durationMs: last.duration_ms,
  };
}

import { statSync } from "node:fs";
import { removeAbandonedBackupPhotos } from "../../backup/backup-deleted-photos.ts";
import type { Config } from "../../config/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import { sweepTemporaryFiles } from "../../files/durable-files.ts";
import type { ScheduledJob } from "../../jobs/job-schedule.ts";
import type { Logger } from "../../logging/logger.ts";
import type { PageState } from "../../monitoring/monitored-service-health.ts";
import { findSqlitePageProblems } from "../../store/sqlite/inspect-sqlite-database.ts";
import type { Store } from "../../store/store.ts";
import { deleteOrphanedPhotos } from "../../usecases/photos/record-appliance-photos.ts";
import { runServerChildProcess, ServerChildCommandFailed } from "../server-child-process.ts";
import { serverDatabaseFile } from "../server-data-folder.ts";
import { composePhotoStorage } from "./compose-photo-storage.ts";

type StorageJobs = {
  jobs: readonly ScheduledJob[];
  /** The result of the latest check of the database's pages, and when it ended. */
  pages: () => { state: PageState; checkedAt: Instant | null };
};

/** A file up to this size is checked in this process: even a slow disk reads its largest table in milliseconds. */
const SMALL_BYTES = 4 << 20;
/** A photo's record follows its file within minutes at most. */
const UNRECORDED_MS = 24 * 3_600_000;

/** Returns the jobs that find and repair what a crash or a failing disk has left. */
export function composeStorageJobs(deps: {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  log: Logger;
  store: Store;
}): StorageJobs {
  const { config, clock, log, store } = deps;
  const { dataDir, url } = config.storage;
  const file = serverDatabaseFile(dataDir);
  const openedAt = clock();
  // PostgreSQL checks its own pages.
  const hasFile = url === "";
  let pages: ReturnType<StorageJobs["pages"]> = { state: hasFile ? "checking" : "ok", checkedAt: null };

  const checkPages = async (signal: AbortSignal) => {
    const startedAt = clock();
    let problems: readonly string[];
    try {
      problems = await findProblems(deps, file, signal);
    } catch (error) {
      pages = { state: "unknown", checkedAt: null };
      throw error;
    }
    const checkedAt = clock();
    pages = { state: problems.length === 0 ? "ok" : "damaged", checkedAt };
    const fields = { file, duration_ms: checkedAt - startedAt };
    if (problems.length === 0) log.info(fields, "database pages checked");
    else
      log.error(
        { ...fields, problems, hint: "Stop the server and restore the last valid backup into a new folder." },
        "the database is damaged",
      );
  };
  return {
    pages: () => pages,
    jobs: [
      ...(hasFile
        ? [{ name: "check-pages", pattern: "0 41 1 * * 0", runAtStart: true, run: checkPages }]
        : []),
      {
        name: "sweep-uploads",
        pattern: "0 51 1 * * *",
        runAtStart: true,
        async run(signal) {
          const files = await deleteOrphanedPhotos(
            store,
            composePhotoStorage(store, dataDir),
            Math.max(openedAt, clock() - UNRECORDED_MS),
            signal,
          );
          if (files > 0) log.info({ files }, "orphaned uploads removed");
          const left = hasFile ? await removeAbandonedBackupPhotos(dataDir, clock()) : [];
          for (const folder of left)
            log.warn({ folder }, "deleted photos of a backup that was killed not removed");
          for (const folder of new Set([dataDir, config.backup.dir])) {
            // The next run finds what stays, such as while the process has no file descriptors left.
            const removed = await sweepTemporaryFiles(folder, clock()).catch((err) => {
              log.warn({ err, folder }, "abandoned temporary files not removed");
              return 0;
            });
            if (removed > 0) log.info({ folder, files: removed }, "abandoned temporary files removed");
          }
        },
      },
    ],
  };
}

async function findProblems(
  { config, env }: { config: Config; env: Readonly<Record<string, string | undefined>> },
  file: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (statSync(file).size <= SMALL_BYTES) return await findSqlitePageProblems(file, yieldToEventLoop);
  const settings = config.file === undefined ? [] : ["--config", config.file];
  const args = ["doctor", "--pages", "--data-dir", config.storage.dataDir, ...settings];
  try {
    await runServerChildProcess({ args, env, signal });
    return [];
  } catch (error) {
    const { problems } = (error instanceof ServerChildCommandFailed ? error.result : {}) as {
      problems?: string[];
    };
    if (problems === undefined) throw error;
    return problems;
  }
}

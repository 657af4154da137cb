import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { fileSizeWording } from "../domain/wording/file-size-wording.ts";
import type { Logger } from "../logging/logger.ts";
import type { LastBackup } from "./last-backup.ts";

export type ScheduledBackup = {
  dataDir: string;
  /** The folder of the scheduled backups. */
  dir: string;
  /** The number of backups to keep. */
  keep: number;
  clock: () => Instant;
  log: Logger;
  /** Runs a command of this executable in its own process. Rejects if the command fails. */
  runCommand: (args: readonly string[], signal: AbortSignal) => Promise<void>;
};

const NAME = /^mainstay-\d{8}T\d{6}Z\.backup$/;
const DRILL = ".restore-drill";

/**
 * Takes a backup, tests it by restoring it to a temporary folder, and deletes the oldest backups. No backup is deleted
 * if the newest cannot be restored. Separate processes do the work, so that the server stays responsive.
 */
export async function takeScheduledBackup(parts: ScheduledBackup, signal: AbortSignal): Promise<LastBackup> {
  const { dir, clock, log, runCommand } = parts;
  const startedAt = clock();
  const file = join(dir, `mainstay-${isoTextOfInstant(startedAt).slice(0, 19).replace(/[-:]/g, "")}Z.backup`);
  const drill = join(dir, DRILL);
  const last: LastBackup = {
    at: isoTextOfInstant(startedAt),
    ok: false,
    drill_ok: null,
    file,
    bytes: null,
    duration_ms: 0,
    error: null,
  };
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await removeLeftovers(dir);
    await runCommand(["backup", file, "--data-dir", parts.dataDir], signal);
    last.ok = true;
    last.bytes = (await stat(file)).size;
    last.drill_ok = false;
    await runCommand(["restore", file, "--data-dir", drill], signal);
    last.drill_ok = true;
    await prune(dir, parts.keep);
  } catch (error) {
    last.error = error instanceof Error ? error.message : String(error);
  } finally {
    await removeLeftovers(dir).catch((error) => log.warn({ err: error, dir }, "scratch folder not removed"));
  }
  last.duration_ms = clock() - startedAt;
  signal.throwIfAborted();
  report(last, log);
  return last;
}

function report({ error, ok, ...last }: LastBackup, log: Logger): void {
  const fields = { ...last, ...(error !== null && { reason: error }) };
  if (last.drill_ok)
    log.info(fields, `backup taken and restore test passed, ${fileSizeWording(last.bytes ?? 0)}`);
  else log.error(fields, ok ? "backup failed its restore test" : "backup failed");
}

async function prune(dir: string, keep: number): Promise<void> {
  const names = (await readdir(dir)).filter((name) => NAME.test(name)).toSorted();
  for (const name of names.slice(0, -keep)) await rm(join(dir, name), { force: true });
}

/** Removes files of a killed run. Safe, since one server runs per data folder, and takes one backup at a time. */
async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const isPartial = name.startsWith(".mainstay-") && name.endsWith(".backup.partial");
    if (isPartial || name === DRILL || name === `.${DRILL}.restoring`)
      await rm(join(dir, name), { recursive: true, force: true });
  }
}

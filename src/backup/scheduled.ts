import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Instant, toIso } from "../domain/time.ts";
import { inMegabytes } from "../files.ts";
import type { Logger } from "../log.ts";
import type { LastBackup } from "./last-backup.ts";

export type ScheduledBackup = {
  dataDir: string;
  /** Folder of the scheduled backups. */
  dir: string;
  /** How many of them to keep. */
  keep: number;
  clock: () => Instant;
  log: Logger;
  /** Runs a command of this executable as a process of its own, at whose end it resolves; rejects when it fails. */
  runCommand: (args: readonly string[], signal: AbortSignal) => Promise<void>;
};

const NAME = /^mainstay-\d{8}T\d{6}Z\.backup$/;
const DRILL = ".restore-drill";

/**
 * Takes a backup, tries it by restoring it into a folder that is removed again, and removes the oldest ones. Older
 * ones stay while the newest can't be restored. All the work is done by other processes, so that requests are
 * answered meanwhile.
 */
export async function takeScheduledBackup(parts: ScheduledBackup, signal: AbortSignal): Promise<LastBackup> {
  const { dir, clock, log, runCommand } = parts;
  const startedAt = clock();
  const file = join(dir, `mainstay-${toIso(startedAt).slice(0, 19).replace(/[-:]/g, "")}Z.backup`);
  const drill = join(dir, DRILL);
  const last: LastBackup = {
    at: toIso(startedAt),
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
  if (last.drill_ok) log.info(fields, `backup taken and tried, ${inMegabytes(last.bytes ?? 0)}`);
  else log.error(fields, ok ? "the backup that was taken could not be restored" : "backup failed");
}

async function prune(dir: string, keep: number): Promise<void> {
  const names = (await readdir(dir)).filter((name) => NAME.test(name)).toSorted();
  for (const name of names.slice(0, -keep)) await rm(join(dir, name), { force: true });
}

/** What an earlier run left that was killed. One server runs on a data folder, and it does one backup at a time. */
async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const isPartial = name.startsWith(".mainstay-") && name.endsWith(".backup.partial");
    if (isPartial || name === DRILL || name === `.${DRILL}.restoring`)
      await rm(join(dir, name), { recursive: true, force: true });
  }
}

import type { Database } from "bun:sqlite";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isUploadName } from "../domain/photo.ts";
import { type Instant, MS_PER_DAY, toIso } from "../domain/time.ts";
import { inMegabytes } from "../files.ts";
import { type KeyEnvironment, loadMasterKey } from "../secrets/master-key.ts";
import { sealer } from "../secrets/sealer.ts";
import { SNAPSHOT_LATE_MS } from "../store/queries/snapshots.ts";
import type { DatabaseState, ModelState } from "../store/sqlite/database-state.ts";
import { explainError } from "../store/sqlite/errors.ts";
import {
  anySealedSecret,
  integrityProblems,
  missingMigrations,
  schemaVersion,
  uploadNames,
} from "../store/sqlite/inspect.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

export const FROM_BACKUP =
  "Stop the server and restore the last good backup with `mainstay restore` into a new folder.";
/** The server tidies its WAL every few megabytes; far above that, something holds it up. */
const LARGE_WAL = 256e6;
const HOUR_MS = 3_600_000;

export function checkIntegrity(db: Database, file: string, depth: "quick" | "full"): Finding {
  try {
    const problems = integrityProblems(db, depth);
    if (problems.length === 0)
      return ok(`${file} is whole (${depth} check, ${inMegabytes(statSync(file).size)})`);
    return fail(`${file} is damaged: ${problems.slice(0, 3).join("; ")}`, FROM_BACKUP);
  } catch (error) {
    return fail((explainError(error, file) as Error).message, FROM_BACKUP);
  }
}

export function checkSchema(db: Database, file: string): Finding {
  let missing: number;
  let version: number;
  try {
    missing = missingMigrations(db, file).length;
    version = schemaVersion(db);
  } catch (error) {
    throw explainError(error, file);
  }
  if (version === 0) return fail(`${file} is empty: it holds no table of Mainstay`, FROM_BACKUP);
  if (missing === 0) return ok(`version ${version}, this executable's own`);
  return warn(
    `version ${version}; this executable brings ${missing} more steps`,
    "The next start applies them, after a copy of the database was made.",
  );
}

/** Compares the photos' files with the photos. */
export function checkUploads(db: Database, dataDir: string): Finding {
  const folder = join(dataDir, "uploads");
  const files = existsSync(folder) ? readdirSync(folder).filter(isUploadName) : [];
  const there = new Set(files);
  const known = new Set(uploadNames(db));
  const missing = [...known].filter((name) => !there.has(name)).length;
  const orphans = files.filter((name) => !known.has(name)).length;
  const detail = `${known.size - missing} of ${known.size} photos have their file; ${orphans} files have no photo`;
  if (missing > 0)
    return warn(detail, `Put the files back into ${folder} from a backup: their photos can't be shown.`);
  if (orphans > 0)
    return warn(detail, "A crash came between file and record. The server's next start removes them.");
  return ok(detail);
}

export function checkWal(file: string): Finding {
  const wal = `${file}-wal`;
  const bytes = existsSync(wal) ? statSync(wal).size : 0;
  if (bytes <= LARGE_WAL) return ok(inMegabytes(bytes));
  return warn(
    `${wal} has grown to ${inMegabytes(bytes)}`,
    "A program reads the database without an end, such as a backup tool or a shell: end it, or restart the server.",
  );
}

/** Compares the machine's clock with the newest instant in the database, and with what can be. */
export function checkClock(state: DatabaseState, now: Instant): Finding {
  const year = new Date(now).getUTCFullYear();
  const remedy = "Set the clock, and keep it by NTP: ages, snapshots and tokens follow it.";
  if (year < 2025 || year > 2100) return fail(`the clock says ${toIso(now)}`, remedy);
  const behindMs = state.lastInstant - now;
  if (behindMs > MS_PER_DAY)
    return fail(`the clock is ${Math.round(behindMs / MS_PER_DAY)} days behind the newest record`, remedy);
  if (behindMs > 60_000)
    return warn(`the clock is ${Math.round(behindMs / 60_000)} minutes behind the newest record`, remedy);
  return ok(`${toIso(now)}, not behind the newest record`);
}

export async function checkKey(
  db: Database | undefined,
  dataDir: string,
  env: KeyEnvironment,
): Promise<Finding> {
  return await checkKeyOn(db && secretToTry(db), dataDir, env);
}

/** Whether the key opens a secret, where there is one. */
export async function checkKeyOn(
  sealed: string | undefined,
  dataDir: string,
  env: KeyEnvironment,
): Promise<Finding> {
  const key = loadMasterKey({ dataDir, env });
  if (sealed === undefined) return ok("the key can be read; the database gave no secret to try it on");
  await sealer(key).unseal(sealed);
  return ok("the key opens the database's secrets");
}

/** A damaged database has been reported by its own check. */
function secretToTry(db: Database): string | undefined {
  try {
    return anySealedSecret(db);
  } catch {
    return undefined;
  }
}

export function checkSnapshot(
  { snapshot }: Pick<DatabaseState, "snapshot">,
  enabled: boolean,
  now: Instant,
): Finding {
  if (!enabled) return ok("turned off here (snapshot.enabled)");
  const remedy = "See the server's log for `job failed`; `mainstay snapshot` takes today's now.";
  if (!snapshot)
    return warn("none was ever taken", "The server takes one a day; start it, or run `mainstay snapshot`.");
  const detail = `of ${snapshot.day}, finished ${age(now - snapshot.finishedAt)} ago`;
  return now - snapshot.finishedAt > SNAPSHOT_LATE_MS ? warn(detail, remedy) : ok(detail);
}

/** Whether the scores that stand are of this executable's model. */
export function checkModel({ scoredBy, fit }: ModelState, own: string): Finding {
  const version = fit?.base === own ? fit.version : own;
  if (fit && fit.base !== own)
    return warn(
      `model ${own}; ${fit.version}, fitted to model ${fit.base}, is not used`,
      "Fit it anew with `mainstay calibrate`.",
    );
  if (scoredBy === undefined) return ok(`model ${version}`);
  if (scoredBy === own || scoredBy.startsWith(`${own}+`))
    return ok(`model ${version}; the latest snapshot is of ${scoredBy}`);
  return warn(
    `the latest snapshot is of model ${scoredBy}; this executable scores by model ${version}`,
    "The next snapshot scores everything anew. What only the change of model moves is not announced, unless it is taken with `mainstay snapshot --announce-model-change`.",
  );
}

export function checkOutbox({ outbox }: Pick<DatabaseState, "outbox">, now: Instant): Finding {
  if (outbox.waiting === 0 || outbox.oldestAt === null) return ok("no delivery waits");
  const detail = `${outbox.waiting} deliveries wait, the oldest for ${age(now - outbox.oldestAt)}`;
  if (now - outbox.oldestAt < HOUR_MS) return ok(detail);
  return warn(
    detail,
    "Is the server running? Look at the receivers below and at `mainstay deliveries list`.",
  );
}

export function age(ms: number): string {
  if (ms < 2 * 60_000) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} min`;
  return ms < 2 * MS_PER_DAY ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / MS_PER_DAY)} days`;
}

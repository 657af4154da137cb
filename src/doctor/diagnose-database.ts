import type { Database } from "bun:sqlite";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { meetsPhotoFileNameRule } from "../domain/rules/photo-file-rule.ts";
import { type Instant, isoTextOfInstant, MS_PER_DAY } from "../domain/time.ts";
import { fileSizeWording } from "../domain/wording/file-size-wording.ts";
import { isMonitoredClockBehindRecords } from "../monitoring/monitored-service-health.ts";
import { createEncryptor } from "../secrets/encryptor.ts";
import { type KeyEnvironment, loadMasterKey } from "../secrets/master-key.ts";
import { SNAPSHOT_LATE_MS, storedSnapshotDayLimit } from "../store/queries/snapshots-queries.ts";
import {
  anyEncryptedSecretInSqlite,
  findSqliteIntegrityProblems,
  missingSqliteMigrations,
  photoFileNamesInSqlite,
  sqliteSchemaVersion,
} from "../store/sqlite/inspect-sqlite-database.ts";
import type { DatabaseState, ModelState } from "../store/sqlite/sqlite-database-state.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import {
  alteredSqliteDefinitions,
  requireSqliteTablesAndColumns,
} from "../store/sqlite/sqlite-schema-repair.ts";
import {
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "./doctor-check.ts";

export const FROM_BACKUP =
  "Stop the server and restore the last good backup with `mainstay restore` into a new folder.";
/** The server checkpoints its WAL every few megabytes; a much larger one means that a reader blocks the checkpoint. */
const LARGE_WAL = 256e6;
const HOUR_MS = 3_600_000;

/** Checks the pages of the SQLite file; with `full`, also each index entry against its row. */
export function diagnoseIntegrity(db: Database, file: string, depth: "quick" | "full"): DoctorFinding {
  try {
    const problems = findSqliteIntegrityProblems(db, depth);
    if (problems.length === 0)
      return okDoctorFinding(
        `${file} passed integrity check (${depth}, ${fileSizeWording(statSync(file).size)})`,
      );
    return failedDoctorFinding(`${file} is damaged: ${problems.slice(0, 3).join("; ")}`, FROM_BACKUP);
  } catch (error) {
    const { message, hint } = explainSqliteError(error, file) as Error & { hint?: string };
    return failedDoctorFinding(message, hint ?? FROM_BACKUP);
  }
}

/** Compares the schema with this executable's. Throws an OperatorError for one that it cannot use. */
export function diagnoseSchema(db: Database, file: string): DoctorFinding {
  let missing: number;
  let version: number;
  try {
    missing = missingSqliteMigrations(db, file).length;
    version = sqliteSchemaVersion(db);
  } catch (error) {
    throw explainSqliteError(error, file);
  }
  if (version === 0) return failedDoctorFinding(`${file} is empty: it has no Mainstay tables`, FROM_BACKUP);
  requireSqliteTablesAndColumns(db, file);
  const altered = alteredSqliteDefinitions(db);
  if (altered.length > 0)
    return warningDoctorFinding(
      `version ${version}, changed by another program: ${altered.slice(0, 3).join("; ")}`,
      "Undo the change with the `sqlite3` program, or stop the server, back up, and restore into a new folder, which creates them again. A backup is refused while duplicate rows prevent a unique index.",
    );
  if (missing === 0) return okDoctorFinding(`version ${version} (up to date)`);
  return warningDoctorFinding(
    `version ${version}; ${missing} schema migrations pending`,
    "The next start applies them after copying the database.",
  );
}

/** Compares the photo files with the photos in the database. */
export function diagnosePhotoFiles(db: Database, dataDir: string): DoctorFinding {
  const folder = join(dataDir, "uploads");
  const files = existsSync(folder) ? readdirSync(folder).filter(meetsPhotoFileNameRule) : [];
  const there = new Set(files);
  const known = new Set(photoFileNamesInSqlite(db));
  const missing = [...known].filter((name) => !there.has(name)).length;
  const orphans = files.filter((name) => !known.has(name)).length;
  const detail = `${missing === 0 ? `all ${known.size} photos present` : `${missing} of ${known.size} photos missing`}; ${orphans} orphaned files`;
  if (missing > 0)
    return warningDoctorFinding(detail, `Restore the missing files to ${folder} from a backup.`);
  if (orphans > 0)
    return warningDoctorFinding(
      detail,
      "Left by a crash during an upload. The next server start removes them.",
    );
  return okDoctorFinding(detail);
}

/** Warns of a write-ahead log that a long read keeps from being emptied. */
export function diagnoseWal(file: string): DoctorFinding {
  const wal = `${file}-wal`;
  const bytes = existsSync(wal) ? statSync(wal).size : 0;
  if (bytes <= LARGE_WAL) return okDoctorFinding(fileSizeWording(bytes));
  return warningDoctorFinding(
    `${wal} has grown to ${fileSizeWording(bytes)}`,
    `Another process holds a long-running read. Find it with \`fuser -v ${file}\` and stop it, or restart the server.`,
  );
}

/** Compares the machine's clock with the newest instant in the database, and with a plausible range. */
export function diagnoseClock(state: DatabaseState, now: Instant): DoctorFinding {
  const year = new Date(now).getUTCFullYear();
  const synchronize = "Synchronize the clock with NTP: ages, snapshots and tokens depend on it.";
  if (year < 2025 || year > 2100)
    return failedDoctorFinding(`the clock says ${isoTextOfInstant(now)}`, synchronize);
  if (!isMonitoredClockBehindRecords(now, state.lastInstant))
    return okDoctorFinding(`${isoTextOfInstant(now).slice(0, 19)}Z, not behind the newest record`);
  return failedDoctorFinding(
    `the clock (${isoTextOfInstant(now)}) is ${doctorDurationText(state.lastInstant - now)} behind the newest record`,
    `${synchronize} If it is right, it was ahead when that record was written: new ones are dated after it until ${isoTextOfInstant(state.lastInstant)}.`,
  );
}

/** Checks that the key in use decrypts a secret of the database; without a database, that it is readable. */
export async function diagnoseMasterKey(
  db: Database | undefined,
  dataDir: string,
  env: KeyEnvironment,
): Promise<DoctorFinding> {
  return await diagnoseKeyDecryption(db && secretToTry(db), dataDir, env);
}

/** Checks that the key decrypts a stored secret, if there is one. */
export async function diagnoseKeyDecryption(
  encrypted: string | undefined,
  dataDir: string,
  env: KeyEnvironment,
): Promise<DoctorFinding> {
  const key = loadMasterKey({ dataDir, env });
  if (encrypted === undefined)
    return okDoctorFinding("the key is readable; the database has no secret to test it with");
  await createEncryptor(key).decrypt(encrypted);
  return okDoctorFinding("the key decrypts stored secrets");
}

/** Returns a stored secret. Ignores a damaged database, which its own check reports. */
function secretToTry(db: Database): string | undefined {
  try {
    return anyEncryptedSecretInSqlite(db);
  } catch {
    return undefined;
  }
}

/** Checks that the latest snapshot is not overdue, and that none is dated in the future. */
export function diagnoseSnapshot(
  { snapshot, newestSnapshotDay }: Pick<DatabaseState, "snapshot" | "newestSnapshotDay">,
  enabled: boolean,
  now: Instant,
): DoctorFinding {
  if (!enabled) return okDoctorFinding("turned off on this server (snapshot.enabled)");
  if (newestSnapshotDay !== null && newestSnapshotDay > storedSnapshotDayLimit(now))
    return warningDoctorFinding(
      `late: a snapshot is dated ${newestSnapshotDay}, in the future, and prevents those of earlier days`,
      "Correct the clock. If it was ahead when that snapshot was taken, run `mainstay snapshot --discard-later`.",
    );
  const remedy =
    "Look for `job failed` in the server's log. Run `mainstay snapshot` to take today's snapshot now.";
  if (!snapshot)
    return warningDoctorFinding(
      "no snapshot yet",
      "Start the server, which takes one a day, or run `mainstay snapshot`.",
    );
  const detail = `${snapshot.day}, finished ${doctorDurationText(now - snapshot.finishedAt)} ago`;
  return now - snapshot.finishedAt > SNAPSHOT_LATE_MS
    ? warningDoctorFinding(detail, remedy)
    : okDoctorFinding(detail);
}

/** Checks that the current scores were computed with this executable's model. */
export function diagnoseScoringModel({ scoredBy, fit }: ModelState, own: string): DoctorFinding {
  const version = fit?.base === own ? fit.version : own;
  if (fit && fit.base !== own)
    return warningDoctorFinding(
      `model ${own}; calibration ${fit.version} is inactive, since it was made for model ${fit.base}`,
      "Run `mainstay calibrate` again.",
    );
  if (scoredBy === undefined) return okDoctorFinding(`model ${version}`);
  if (scoredBy === own || scoredBy.startsWith(`${own}+`))
    return okDoctorFinding(`model ${version}; latest snapshot: model ${scoredBy}`);
  return warningDoctorFinding(
    `the latest snapshot used model ${scoredBy}; this executable uses model ${version}`,
    "The next snapshot rescores all components. It sends no alerts for tier changes caused by the model, unless taken with `mainstay snapshot --announce-model-change`.",
  );
}

/** Warns of deliveries that have been pending for an hour or longer. */
export function diagnoseOutbox({ outbox }: Pick<DatabaseState, "outbox">, now: Instant): DoctorFinding {
  if (outbox.waiting === 0 || outbox.oldestAt === null) return okDoctorFinding("no pending deliveries");
  const detail = `${outbox.waiting} pending deliveries, the oldest for ${doctorDurationText(now - outbox.oldestAt)}`;
  if (now - outbox.oldestAt < HOUR_MS) return okDoctorFinding(detail);
  return warningDoctorFinding(
    detail,
    "Check that the server is running. See the webhook endpoints below and `mainstay deliveries list`.",
  );
}

/** Formats milliseconds in the largest unit of which there are at least two: `90 s`, `5 min`, `3 h`, `2 days`. */
export function doctorDurationText(ms: number): string {
  if (ms < 2 * 60_000) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} min`;
  return ms < 2 * MS_PER_DAY ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / MS_PER_DAY)} days`;
}

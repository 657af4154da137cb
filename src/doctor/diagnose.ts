import type { Database } from "bun:sqlite";
import { readLastBackup } from "../backup/last-backup.ts";
import type { Config } from "../config/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyEnvironment } from "../secrets/master-key.ts";
import { type DatabaseState, readDatabaseState, readModelState } from "../store/sqlite/database-state.ts";
import { explainError } from "../store/sqlite/errors.ts";
import { openWithoutTrace } from "../store/sqlite/inspect.ts";
import { hasDatabase, refuseLeftoverFiles } from "../store/sqlite/leftover-files.ts";
import { checkBackup } from "./backup.ts";
import { type Check, type CheckResult, fail, ok, runChecks } from "./check.ts";
import {
  checkClock,
  checkIntegrity,
  checkKey,
  checkKeyOn,
  checkModel,
  checkOutbox,
  checkSchema,
  checkSnapshot,
  checkUploads,
  checkWal,
} from "./database.ts";
import { folderChecks } from "./folder.ts";
import { checkCertificate, receiverChecks } from "./network.ts";
import { checkSharedSchema, checkStoredPhotos, databaseFound, serverChecks } from "./postgres.ts";

export type Patient = {
  config: Config;
  databaseFile: string;
  env: KeyEnvironment;
  now: Instant;
  depth: "quick" | "full";
  /** The executable's own. */
  modelVersion: string;
  /** Which configuration is in force, in a sentence. */
  configuration: string;
};

/** Checks an installation, whether its server runs or not, and whatever state it is in. Writes nothing. */
export async function diagnose(patient: Patient): Promise<CheckResult[]> {
  const { config, databaseFile, now } = patient;
  const { dataDir } = config.storage;
  const isShared = config.storage.url !== "";
  const results = await runChecks([
    {
      name: "configuration",
      run: () =>
        ok(
          config.file ? `${config.file} is in force` : `the defaults are in force. ${patient.configuration}`,
        ),
    },
    ...folderChecks(dataDir, databaseFile, config.backup.dir),
    ...(isShared ? [] : [{ name: "wal", run: () => checkWal(databaseFile) }]),
    { name: "tls_certificate", run: () => checkCertificate(config.server, now) },
    {
      name: "last_backup",
      run: () =>
        isShared
          ? ok("taken by PostgreSQL's own tools, which this does not see")
          : checkBackup(config.backup.schedule, readLastBackup(config.storage.dataDir), now),
    },
  ]);
  return [...results, ...(isShared ? await checkShared(patient) : await checkDatabase(patient))];
}

async function checkDatabase(patient: Patient): Promise<CheckResult[]> {
  const { config, databaseFile, env, depth, modelVersion } = patient;
  const { dataDir } = config.storage;
  const keyCheck = (db?: Database): Check => ({ name: "key", run: () => checkKey(db, dataDir, env) });
  let db: Database | undefined;
  try {
    if (!hasDatabase(databaseFile))
      return await runChecks([
        keyCheck(),
        {
          name: "database",
          run: () => {
            refuseLeftoverFiles(databaseFile);
            return fail(
              `there is no database ${databaseFile}`,
              `${patient.configuration} Name the right folder by --config or --data-dir, make one with \`mainstay init\`, or restore a backup.`,
            );
          },
        },
      ]);
    const opened = openWithoutTrace(databaseFile);
    db = opened;
    const checks = await runChecks([
      { name: "database", run: () => checkIntegrity(opened, databaseFile, depth) },
      { name: "schema", run: () => checkSchema(opened, databaseFile) },
      keyCheck(opened),
      { name: "uploads", run: () => checkUploads(opened, dataDir) },
      { name: "model", run: () => checkModel(readModelState(opened), modelVersion) },
    ]);
    return [...checks, ...(await runChecks(stateChecks(opened, patient)))];
  } catch (error) {
    const { message, hint } = explainError(error, databaseFile) as Error & { hint?: string };
    return [
      { name: "database", ...fail(message, hint ?? "Restore the last good backup with `mainstay restore`.") },
    ];
  } finally {
    db?.close();
  }
}

/** A database on PostgreSQL. */
async function checkShared({ config, env, now, modelVersion }: Patient): Promise<CheckResult[]> {
  const { dataDir, url } = config.storage;
  // Only here, so that who keeps to a file does not load a driver that is not used.
  const { diagnoseDatabase: examine } = await import("../store/postgres/diagnostics/database-diagnostics.ts");
  let found: Awaited<ReturnType<typeof examine>>;
  try {
    found = await examine(url);
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return [{ name: "database", ...fail(message, hint ?? "See what PostgreSQL's log says.") }];
  }
  const { server: facts, schema, rows } = found;
  return await runChecks([
    { name: "database", run: () => databaseFound(facts) },
    { name: "schema", run: () => checkSharedSchema(schema) },
    ...serverChecks(facts, now),
    { name: "key", run: () => checkKeyOn(rows?.sealedSecret, dataDir, env) },
    ...(rows
      ? [
          { name: "uploads", run: () => checkStoredPhotos(rows.photos) },
          { name: "model", run: () => checkModel(rows.model, modelVersion) },
          ...stateChecksOf(rows.state, config, now),
        ]
      : []),
  ]);
}

/** The checks that need rows; when those can't be read, the check of the database has said why. */
function stateChecks(db: Database, { config, now }: Patient): Check[] {
  let state: DatabaseState;
  try {
    state = readDatabaseState(db);
  } catch {
    return [];
  }
  return stateChecksOf(state, config, now);
}

function stateChecksOf(state: DatabaseState, config: Config, now: Instant): Check[] {
  return [
    { name: "clock", run: () => checkClock(state, now) },
    { name: "snapshot", run: () => checkSnapshot(state, config.snapshot.enabled, now) },
    { name: "outbox", run: () => checkOutbox(state, now) },
    ...receiverChecks(state, config.webhooks),
  ];
}

import type { Database } from "bun:sqlite";
import { readLastBackup } from "../backup/last-backup.ts";
import type { Config } from "../config/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyEnvironment } from "../secrets/master-key.ts";
import { openWithoutWalFiles } from "../store/sqlite/inspect-database.ts";
import { hasDatabaseContent, refuseLeftoverFiles } from "../store/sqlite/leftover-files.ts";
import {
  type DatabaseState,
  readModelInUse,
  readMonitoredState,
} from "../store/sqlite/monitored-database-state.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import { checkBackup, checkWalArchiving } from "./diagnose-backups.ts";
import {
  checkClock,
  checkIntegrity,
  checkKeyDecrypts,
  checkMasterKey,
  checkOutbox,
  checkPhotoFiles,
  checkSchema,
  checkScoringModel,
  checkSnapshot,
  checkWal,
} from "./diagnose-database.ts";
import { folderChecks } from "./diagnose-folders.ts";
import { checkServerCertificate, webhookEndpointChecks } from "./diagnose-network.ts";
import {
  checkSharedSchema,
  checkStoredPhotos,
  describeDatabaseServer,
  postgresServerChecks,
} from "./diagnose-postgres.ts";
import { type CheckResult, type DoctorCheck, failedFinding, okFinding, runChecks } from "./doctor-check.ts";

type Installation = {
  config: Config;
  databaseFile: string;
  env: KeyEnvironment;
  now: Instant;
  depth: "quick" | "full";
  /** The version of this executable's model. */
  modelVersion: string;
  /** A sentence that names the configuration in use. */
  configuration: string;
};

/** Checks an installation in any state, with or without a running server. Writes nothing. */
export async function diagnoseInstallation(installation: Installation): Promise<CheckResult[]> {
  const { config, databaseFile, now } = installation;
  const { dataDir } = config.storage;
  const usesPostgres = config.storage.url !== "";
  const results = await runChecks([
    {
      name: "configuration",
      run: () => okFinding(installation.configuration.replace(/\.$/, "")),
    },
    ...folderChecks(dataDir, databaseFile, config.backup.dir),
    ...(usesPostgres ? [] : [{ name: "wal", run: () => checkWal(databaseFile) }]),
    { name: "tls_certificate", run: () => checkServerCertificate(config.server, now) },
    ...(usesPostgres
      ? []
      : [
          {
            name: "last_backup",
            run: () => checkBackup(config.backup.schedule, readLastBackup(config.storage.dataDir), now),
          },
        ]),
  ]);
  return [
    ...results,
    ...(usesPostgres ? await checkPostgres(installation) : await checkDatabase(installation)),
  ];
}

async function checkDatabase(installation: Installation): Promise<CheckResult[]> {
  const { config, databaseFile, env, depth, modelVersion } = installation;
  const { dataDir } = config.storage;
  const keyCheck = (db?: Database): DoctorCheck => ({
    name: "key",
    run: () => checkMasterKey(db, dataDir, env),
  });
  let db: Database | undefined;
  try {
    if (!hasDatabaseContent(databaseFile))
      return await runChecks([
        keyCheck(),
        {
          name: "database",
          run: () => {
            refuseLeftoverFiles(databaseFile);
            return failedFinding(
              `Database not found: ${databaseFile}`,
              `${installation.configuration} Specify the data folder with --config or --data-dir, create one with \`mainstay init\`, or restore a backup.`,
            );
          },
        },
      ]);
    const opened = openWithoutWalFiles(databaseFile);
    db = opened;
    const checks = await runChecks([
      { name: "database", run: () => checkIntegrity(opened, databaseFile, depth) },
      { name: "schema", run: () => checkSchema(opened, databaseFile) },
      keyCheck(opened),
      { name: "uploads", run: () => checkPhotoFiles(opened, dataDir) },
      { name: "model", run: () => checkScoringModel(readModelInUse(opened), modelVersion) },
    ]);
    return [...checks, ...(await runChecks(stateChecks(opened, installation)))];
  } catch (error) {
    const { message, hint } = explainSqliteError(error, databaseFile) as Error & { hint?: string };
    return [
      {
        name: "database",
        ...failedFinding(message, hint ?? "Restore the last good backup with `mainstay restore`."),
      },
    ];
  } finally {
    db?.close();
  }
}

/** Checks a PostgreSQL database. */
async function checkPostgres({ config, env, now, modelVersion }: Installation): Promise<CheckResult[]> {
  const { dataDir, url } = config.storage;
  // Imported here, so that installations on SQLite do not load the driver.
  const { diagnoseDatabase: examine } = await import("../store/postgres/diagnostics/database-diagnostics.ts");
  let found: Awaited<ReturnType<typeof examine>>;
  try {
    found = await examine(url);
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return [{ name: "database", ...failedFinding(message, hint ?? "See PostgreSQL's log.") }];
  }
  const { server: facts, schema, rows } = found;
  return await runChecks([
    { name: "database", run: () => describeDatabaseServer(facts) },
    { name: "schema", run: () => checkSharedSchema(schema, facts) },
    ...postgresServerChecks(facts, now),
    { name: "last_backup", run: () => checkWalArchiving(facts.walArchiving, now) },
    { name: "key", run: () => checkKeyDecrypts(rows?.sealedSecret, dataDir, env) },
    ...(rows
      ? [
          { name: "uploads", run: () => checkStoredPhotos(rows.photos) },
          { name: "model", run: () => checkScoringModel(rows.model, modelVersion) },
          ...stateChecksOf(rows.state, config, now),
        ]
      : []),
  ]);
}

/** Returns the checks that need rows; none if the rows cannot be read, which the database check reports. */
function stateChecks(db: Database, { config, now }: Installation): DoctorCheck[] {
  let state: DatabaseState;
  try {
    state = readMonitoredState(db);
  } catch {
    return [];
  }
  return stateChecksOf(state, config, now);
}

function stateChecksOf(state: DatabaseState, config: Config, now: Instant): DoctorCheck[] {
  return [
    { name: "clock", run: () => checkClock(state, now) },
    { name: "snapshot", run: () => checkSnapshot(state, config.snapshot.enabled, now) },
    { name: "outbox", run: () => checkOutbox(state, now) },
    ...webhookEndpointChecks(state, config.webhooks),
  ];
}

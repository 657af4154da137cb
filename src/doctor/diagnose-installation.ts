import type { Database } from "bun:sqlite";
import { readLastBackup } from "../backup/last-backup.ts";
import type { Config } from "../config/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyEnvironment } from "../secrets/master-key.ts";
import { openSqliteWithoutWalFiles } from "../store/sqlite/inspect-sqlite-database.ts";
import { hasSqliteContent, refuseLeftoverSqliteFiles } from "../store/sqlite/leftover-sqlite-files.ts";
import {
  type DatabaseState,
  readSqliteDatabaseState,
  readSqliteModelInUse,
} from "../store/sqlite/sqlite-database-state.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import { diagnoseBackup, diagnoseWalArchiving } from "./diagnose-backups.ts";
import {
  diagnoseClock,
  diagnoseIntegrity,
  diagnoseKeyDecryption,
  diagnoseMasterKey,
  diagnoseOutbox,
  diagnosePhotoFiles,
  diagnoseSchema,
  diagnoseScoringModel,
  diagnoseSnapshot,
  diagnoseWal,
} from "./diagnose-database.ts";
import { doctorChecksOfFolders } from "./diagnose-folders.ts";
import { diagnoseServerCertificate, doctorChecksOfWebhookEndpoints } from "./diagnose-network.ts";
import {
  diagnoseDatabaseServer,
  diagnoseSharedSchema,
  diagnoseStoredPhotos,
  doctorChecksOfPostgresServer,
} from "./diagnose-postgres.ts";
import {
  type DoctorCheck,
  type DoctorCheckResult,
  failedDoctorFinding,
  okDoctorFinding,
  runDoctorChecks,
} from "./doctor-check.ts";

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
export async function diagnoseInstallation(installation: Installation): Promise<DoctorCheckResult[]> {
  const { config, databaseFile, now } = installation;
  const { dataDir } = config.storage;
  const usesPostgres = config.storage.url !== "";
  const results = await runDoctorChecks([
    {
      name: "configuration",
      run: () => okDoctorFinding(installation.configuration.replace(/\.$/, "")),
    },
    ...doctorChecksOfFolders(dataDir, databaseFile, config.backup.dir),
    ...(usesPostgres ? [] : [{ name: "wal", run: () => diagnoseWal(databaseFile) }]),
    { name: "tls_certificate", run: () => diagnoseServerCertificate(config.server, now) },
    ...(usesPostgres
      ? []
      : [
          {
            name: "last_backup",
            run: () => diagnoseBackup(config.backup.schedule, readLastBackup(config.storage.dataDir), now),
          },
        ]),
  ]);
  return [
    ...results,
    ...(usesPostgres ? await checkPostgres(installation) : await checkDatabase(installation)),
  ];
}

async function checkDatabase(installation: Installation): Promise<DoctorCheckResult[]> {
  const { config, databaseFile, env, depth, modelVersion } = installation;
  const { dataDir } = config.storage;
  const keyCheck = (db?: Database): DoctorCheck => ({
    name: "key",
    run: () => diagnoseMasterKey(db, dataDir, env),
  });
  let db: Database | undefined;
  try {
    if (!hasSqliteContent(databaseFile))
      return await runDoctorChecks([
        keyCheck(),
        {
          name: "database",
          run: () => {
            refuseLeftoverSqliteFiles(databaseFile);
            return failedDoctorFinding(
              `Database not found: ${databaseFile}`,
              `${installation.configuration} Specify the data folder with --config or --data-dir, create one with \`mainstay init\`, or restore a backup.`,
            );
          },
        },
      ]);
    const opened = openSqliteWithoutWalFiles(databaseFile);
    db = opened;
    const checks = await runDoctorChecks([
      { name: "database", run: () => diagnoseIntegrity(opened, databaseFile, depth) },
      { name: "schema", run: () => diagnoseSchema(opened, databaseFile) },
      keyCheck(opened),
      { name: "uploads", run: () => diagnosePhotoFiles(opened, dataDir) },
      { name: "model", run: () => diagnoseScoringModel(readSqliteModelInUse(opened), modelVersion) },
    ]);
    return [...checks, ...(await runDoctorChecks(stateChecks(opened, installation)))];
  } catch (error) {
    const { message, hint } = explainSqliteError(error, databaseFile) as Error & { hint?: string };
    return [
      {
        name: "database",
        ...failedDoctorFinding(message, hint ?? "Restore the last good backup with `mainstay restore`."),
      },
    ];
  } finally {
    db?.close();
  }
}

/** Checks a PostgreSQL database. */
async function checkPostgres({ config, env, now, modelVersion }: Installation): Promise<DoctorCheckResult[]> {
  const { dataDir, url } = config.storage;
  // Imported here, so that installations on SQLite do not load the driver.
  const { readPostgresDatabaseDiagnostics: examine } = await import(
    "../store/postgres/diagnostics/postgres-database-diagnostics.ts"
  );
  let found: Awaited<ReturnType<typeof examine>>;
  try {
    found = await examine(url);
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return [{ name: "database", ...failedDoctorFinding(message, hint ?? "See PostgreSQL's log.") }];
  }
  const { server: facts, schema, rows } = found;
  return await runDoctorChecks([
    { name: "database", run: () => diagnoseDatabaseServer(facts) },
    { name: "schema", run: () => diagnoseSharedSchema(schema, facts) },
    ...doctorChecksOfPostgresServer(facts, now),
    { name: "last_backup", run: () => diagnoseWalArchiving(facts.walArchiving, now) },
    { name: "key", run: () => diagnoseKeyDecryption(rows?.encryptedSecret, dataDir, env) },
    ...(rows
      ? [
          { name: "uploads", run: () => diagnoseStoredPhotos(rows.photos) },
          { name: "model", run: () => diagnoseScoringModel(rows.model, modelVersion) },
          ...stateChecksOf(rows.state, config, now),
        ]
      : []),
  ]);
}

/** Returns the checks that need rows; none if the rows cannot be read, which the database check reports. */
function stateChecks(db: Database, { config, now }: Installation): DoctorCheck[] {
  let state: DatabaseState;
  try {
    state = readSqliteDatabaseState(db);
  } catch {
    return [];
  }
  return stateChecksOf(state, config, now);
}

function stateChecksOf(state: DatabaseState, config: Config, now: Instant): DoctorCheck[] {
  return [
    { name: "clock", run: () => diagnoseClock(state, now) },
    { name: "snapshot", run: () => diagnoseSnapshot(state, config.snapshot.enabled, now) },
    { name: "outbox", run: () => diagnoseOutbox(state, now) },
    ...doctorChecksOfWebhookEndpoints(state, config.webhooks),
  ];
}

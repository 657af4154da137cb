import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { backUpBeforeMigration } from "../backup/backup-before-migration.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import type { Instant } from "../domain/time.ts";
import { fileStorageError } from "../files/durable-files.ts";
import { createEncryptor, type Encryptor } from "../secrets/encryptor.ts";
import {
  createMasterKeyFile,
  isMasterKeyProvided,
  loadMasterKey,
  type MasterKey,
  masterKeyCheckOf,
  masterKeyFilePath,
} from "../secrets/master-key.ts";
import { anyEncryptedSecretInSqlite, openSqliteForReading } from "../store/sqlite/inspect-sqlite-database.ts";
import { hasSqliteContent, refuseLeftoverSqliteFiles } from "../store/sqlite/leftover-sqlite-files.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../store/sqlite/sqlite-store.ts";
import type { Store } from "../store/store.ts";

export const serverDatabaseFile = (dataDir: string) => join(dataDir, "mainstay.db");

/** An opened data folder: its database, and the key that encrypts its secrets. */
export type DataFolder = {
  store: Store;
  masterKey: MasterKey;
  encryptor: Encryptor;
  /** The backup made because opening the database has migrated it. */
  upgradeBackup: string | undefined;
};

export type DataFolderDeps = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  random: FillRandom;
  /** The hint of the error if `storage.url` names an empty database; without it the schema is created. */
  whenEmpty?: string;
  /** Acquires the lock of a running server before existing data is migrated, for callers that do not hold it. */
  lockBeforeMigration?: (dataDir: string) => { release(): void };
} & Pick<SqliteStoreOptions, "requiresCurrentSchema" | "mapsFile" | "purging" | "isServing">;

/**
 * Opens the database and the data folder, which is created if it does not exist. Migrates an older schema, unless
 * `requiresCurrentSchema` is set: then nothing is changed, and it throws an OperatorError.
 */
export async function openServerDataFolder(deps: DataFolderDeps): Promise<DataFolder> {
  if (deps.config.storage.url !== "") return await openSharedDatabase(deps);
  if (deps.isServing) await requireKeyOfSecrets(deps);
  return openOwnDatabase(deps);
}

/**
 * Opens the database file in the folder, and creates it with a key file if it does not exist. The database is
 * created first, so that a key file without one always means damage and is refused. A key file is never created
 * beside a database with secrets, which another key has encrypted.
 */
function openOwnDatabase({
  config,
  env,
  clock,
  random,
  mapsFile,
  purging,
  isServing,
  requiresCurrentSchema,
  lockBeforeMigration,
}: DataFolderDeps): DataFolder {
  const { dataDir } = config.storage;
  const file = serverDatabaseFile(dataDir);
  refuseLeftoverSqliteFiles(file);
  makeServerDataFolder(dataDir);
  const isNew = !hasSqliteContent(file);
  // Before a migration, but not before a refusal, which changes nothing.
  const settlesKeyFirst = !isNew && !requiresCurrentSchema;
  if (settlesKeyFirst) settleKey(dataDir, env, random);
  let upgradeBackup: string | undefined;
  let lock: { release(): void } | undefined;
  const open = () =>
    openSqliteStore(file, {
      clock,
      random,
      mapsFile,
      purging,
      isServing,
      requiresCurrentSchema,
      beforeUpgrade: (db) => {
        lock = lockBeforeMigration?.(dataDir);
        upgradeBackup = backUpBeforeMigration(db, config.backup.dir, clock());
      },
    });
  let store: Store;
  try {
    store = open();
  } finally {
    lock?.release();
  }
  try {
    if (!settlesKeyFirst) settleKey(dataDir, env, random);
    const masterKey = loadMasterKey({ dataDir, env });
    return { store, masterKey, encryptor: createEncryptor(masterKey), upgradeBackup };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** Opens a database on PostgreSQL: the folder contains the key file, unless the environment provides the key. */
async function openSharedDatabase(deps: DataFolderDeps): Promise<DataFolder> {
  const { config, env, random, whenEmpty } = deps;
  const { dataDir } = config.storage;
  // Before the database is changed, if that is allowed.
  if (whenEmpty === undefined) makeServerDataFolder(dataDir);
  const store = await openDatabase(deps);
  try {
    makeServerDataFolder(dataDir);
    const lacksKey = !isMasterKeyProvided(env) && !existsSync(masterKeyFilePath(dataDir));
    if (lacksKey && (await store.read.partners.list()).length === 0) makeKeyFile(dataDir, random);
    const masterKey = loadMasterKey({ dataDir, env });
    await requireSameKey(store, masterKey, dataDir);
    return { store, masterKey, encryptor: createEncryptor(masterKey), upgradeBackup: undefined };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openDatabase(deps: DataFolderDeps): Promise<Store> {
  const { config, clock, random, whenEmpty, requiresCurrentSchema } = deps;
  // Imported on demand, so that an installation on SQLite does not load the driver.
  const { openPostgresStore } = await import("../store/postgres/postgres-store.ts");
  return await openPostgresStore(config.storage.url, { clock, random, whenEmpty, requiresCurrentSchema });
}

/**
 * Migrates the schema, or creates it in an empty database; returns the applied migrations. Needs no key, which the
 * user who migrates may not have.
 */
export async function migrateServerDatabase(deps: DataFolderDeps): Promise<Store["applied"]> {
  const isOwn = deps.config.storage.url === "";
  const store = isOwn ? openOwnDatabase(deps).store : await openDatabase(deps);
  await store.close();
  return store.applied;
}

/**
 * Throws an OperatorError if the servers on the database use another key: this one could not decrypt their secrets.
 */
async function requireSameKey(store: Store, masterKey: MasterKey, dataDir: string): Promise<void> {
  const own = masterKeyCheckOf(masterKey);
  const first = await store.write((tx) => tx.installation.keyCheck(own));
  if (first === own) return;
  throw new OperatorError(
    "this server's key differs from the key of the other servers on this database",
    `Copy the key file of the first server to ${masterKeyFilePath(dataDir)}, or set MAINSTAY_KEY_FILE to the path of a copy.`,
  );
}

/** Creates the key file of a database without secrets. Throws if the key cannot be used. */
function settleKey(dataDir: string, env: DataFolderDeps["env"], random: FillRandom): void {
  const lacksKey = !isMasterKeyProvided(env) && !existsSync(masterKeyFilePath(dataDir));
  if (lacksKey && hasEncryptedNothing(serverDatabaseFile(dataDir))) makeKeyFile(dataDir, random);
  loadMasterKey({ dataDir, env });
}

/** An unreadable database is reported when it is opened. */
function hasEncryptedNothing(file: string): boolean {
  return encryptedSecretIn(file) === undefined;
}

/**
 * Throws an OperatorError if a server's key does not decrypt a stored secret: it could sign no webhook, and would encrypt
 * further secrets with it. A command may run with a new key, to replace the secrets.
 */
async function requireKeyOfSecrets({ config, env }: DataFolderDeps): Promise<void> {
  const { dataDir } = config.storage;
  const file = serverDatabaseFile(dataDir);
  const encrypted = hasSqliteContent(file) ? encryptedSecretIn(file) : undefined;
  if (typeof encrypted === "string")
    await createEncryptor(loadMasterKey({ dataDir, env })).decrypt(encrypted);
}

/** Returns a stored secret; undefined without one, and null for an unreadable database. */
function encryptedSecretIn(file: string): string | null | undefined {
  try {
    const db = openSqliteForReading(file);
    try {
      return anyEncryptedSecretInSqlite(db);
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

/** Throws a StorageError if nothing can be written. */
function makeKeyFile(dataDir: string, random: FillRandom): void {
  try {
    createMasterKeyFile(dataDir, random);
  } catch (error) {
    throw fileStorageError(error, dataDir);
  }
}

/** Creates the folder, readable by its owner only. Throws an OperatorError if that is not permitted. */
export function makeServerDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOTDIR" || code === "EEXIST" ? "A part of the path is a file, not a folder. " : "";
    throw new OperatorError(
      `the data folder ${path} cannot be created (${code})`,
      `${reason}Specify a folder that the user running Mainstay can write to, with --data-dir or storage.data_dir.`,
    );
  }
}

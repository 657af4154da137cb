import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { backUpBeforeUpgrade } from "../backup/before-upgrade.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError, refusedWrite } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import {
  createKeyFile,
  keyCheckOf,
  keyFilePath,
  keyIsInEnvironment,
  loadMasterKey,
  type MasterKey,
} from "../secrets/master-key.ts";
import { type Sealer, sealer } from "../secrets/sealer.ts";
import { anySealedSecret, openForReading } from "../store/sqlite/inspect.ts";
import { hasDatabase, refuseLeftoverFiles } from "../store/sqlite/leftover-files.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";

export const databaseFile = (dataDir: string) => join(dataDir, "mainstay.db");

/** An opened data folder: its database, and the key that its secrets are sealed with. */
export type DataFolder = {
  store: Store;
  masterKey: MasterKey;
  sealer: Sealer;
  /** The copy of the database that was made because opening it has upgraded it. */
  upgradeBackup: string | undefined;
};

export type DataFolderWorld = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  random: FillRandom;
  /** What to tell where `storage.url` names an empty database, which is refused then; else it gets the schema. */
  whenEmpty?: string;
} & Pick<SqliteStoreOptions, "mapsFile" | "purging" | "isServing">;

/** Opens the database and the data folder, which is made when it is new. */
export async function openDataFolder(world: DataFolderWorld): Promise<DataFolder> {
  return world.config.storage.url === "" ? openOwnDatabase(world) : await openSharedDatabase(world);
}

/**
 * A database file in the folder, made with a key file when it is new. The database comes first: a key file without one
 * is then always damage, and refused. A key file is never made beside a database that holds a secret: it could not open
 * what an earlier key has sealed.
 */
function openOwnDatabase({
  config,
  env,
  clock,
  random,
  mapsFile,
  purging,
  isServing,
}: DataFolderWorld): DataFolder {
  const { dataDir } = config.storage;
  const file = databaseFile(dataDir);
  refuseLeftoverFiles(file);
  makeDataFolder(dataDir);
  const isNew = !hasDatabase(file);
  if (!isNew) settleKey(dataDir, env, random);
  let upgradeBackup: string | undefined;
  const store = openSqliteStore(file, {
    clock,
    random,
    mapsFile,
    purging,
    isServing,
    beforeUpgrade: (db) => {
      upgradeBackup = backUpBeforeUpgrade(db, config.backup.dir, clock());
    },
  });
  try {
    if (isNew) settleKey(dataDir, env, random);
    const masterKey = loadMasterKey({ dataDir, env });
    return { store, masterKey, sealer: sealer(masterKey), upgradeBackup };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** A database on PostgreSQL: the folder holds the key file, unless the environment has the key. */
async function openSharedDatabase(world: DataFolderWorld): Promise<DataFolder> {
  const { config, env, random, whenEmpty } = world;
  const { dataDir } = config.storage;
  // Before the database changes, where it may.
  if (whenEmpty === undefined) makeDataFolder(dataDir);
  const store = await openDatabase(world);
  try {
    makeDataFolder(dataDir);
    const lacksKey = !keyIsInEnvironment(env) && !existsSync(keyFilePath(dataDir));
    if (lacksKey && (await store.read.partners.list()).length === 0) makeKeyFile(dataDir, random);
    const masterKey = loadMasterKey({ dataDir, env });
    await requireSameKey(store, masterKey, dataDir);
    return { store, masterKey, sealer: sealer(masterKey), upgradeBackup: undefined };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openDatabase({ config, clock, random, whenEmpty }: DataFolderWorld): Promise<Store> {
  // Only here, so that who keeps to a file does not load a driver that is not used.
  const { openPostgresStore } = await import("../store/postgres/store.ts");
  return await openPostgresStore(config.storage.url, { clock, random, whenEmpty });
}

/**
 * Brings the schema up to date, and makes that of a database that is empty: the key, which whoever runs this may not
 * have, is not needed for it there. What was applied.
 */
export async function migrate(world: DataFolderWorld): Promise<Store["applied"]> {
  const isOwn = world.config.storage.url === "";
  const store = isOwn ? openOwnDatabase(world).store : await openDatabase(world);
  await store.close();
  return store.applied;
}

/** Throws an OperatorError where the servers on the database have another key: what these sealed it could not open. */
async function requireSameKey(store: Store, masterKey: MasterKey, dataDir: string): Promise<void> {
  const own = keyCheckOf(masterKey);
  const first = await store.write((tx) => tx.installation.keyCheck(own));
  if (first === own) return;
  throw new OperatorError(
    "this server's key is not the one that the others on this database have",
    `Copy the key file of the server that was there first to ${keyFilePath(dataDir)}, or name a copy of it by MAINSTAY_KEY_FILE.`,
  );
}

/** Makes the key file of a database that has sealed nothing yet. Throws when the key can't be used. */
function settleKey(dataDir: string, env: DataFolderWorld["env"], random: FillRandom): void {
  const lacksKey = !keyIsInEnvironment(env) && !existsSync(keyFilePath(dataDir));
  if (lacksKey && hasSealedNothing(databaseFile(dataDir))) makeKeyFile(dataDir, random);
  loadMasterKey({ dataDir, env });
}

/** A database that can't be read has its own complaint, when it is opened. */
function hasSealedNothing(file: string): boolean {
  try {
    const db = openForReading(file);
    try {
      return anySealedSecret(db) === undefined;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/** Throws a StorageError where nothing can be written. */
function makeKeyFile(dataDir: string, random: FillRandom): void {
  try {
    createKeyFile(dataDir, random);
  } catch (error) {
    throw refusedWrite(error, dataDir);
  }
}

/** Makes the folder, for its owner alone. Throws an OperatorError where that is not allowed. */
export function makeDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOTDIR" || code === "EEXIST" ? "A part of the path is a file, not a folder. " : "";
    throw new OperatorError(
      `the data folder ${path} cannot be made (${code})`,
      `${reason}Name a folder that the user who runs Mainstay may write to, with --data-dir or storage.data_dir.`,
    );
  }
}

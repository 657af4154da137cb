import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { backUpBeforeUpgrade } from "../backup/before-upgrade.ts";
import type { Config } from "../config/settings.ts";
import { OperatorError, refusedWrite } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import { createKeyFile, keyIsInEnvironment, loadMasterKey, type MasterKey } from "../secrets/master-key.ts";
import { type Sealer, sealer } from "../secrets/sealer.ts";
import { openStore, type Store } from "../store/store.ts";

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
};

/**
 * Opens the data folder, made with a key file and a database when it is new. A key file is never made beside a
 * database that has been there before: it could not open what an earlier key has sealed.
 */
export function openDataFolder({ config, env, clock, random }: DataFolderWorld): DataFolder {
  const { dataDir } = config.storage;
  makeDataFolder(dataDir);
  const file = databaseFile(dataDir);
  if (!existsSync(file) && !keyIsInEnvironment(env)) makeKeyFile(dataDir, random);
  const masterKey = loadMasterKey({ dataDir, env });
  let upgradeBackup: string | undefined;
  const store = openStore(file, {
    clock,
    random,
    beforeUpgrade: (db) => {
      upgradeBackup = backUpBeforeUpgrade(db, config.backup.dir, clock());
    },
  });
  return { store, masterKey, sealer: sealer(masterKey), upgradeBackup };
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

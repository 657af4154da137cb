import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/settings.ts";
import { OperatorError, StorageError } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import { meetsPhotoFileNameRule } from "../domain/rules/photo-file-rule.ts";
import type { Instant } from "../domain/time.ts";
import { moveIntoPlace, replaceFile } from "../files/durable-files.ts";
import { DailyCallLimits } from "../http/request-daily-call-limits.ts";
import { isMasterKeyProvided, masterKeyFilePath } from "../secrets/master-key.ts";
import {
  storedPhotoQueries,
  type TransferEndpoint,
  type TransferredRows,
  transferDatabase,
  transferErrorOf,
} from "../store/database-transfer.ts";
import {
  openPostgresTransferSource,
  openPostgresTransferTarget,
} from "../store/postgres/postgres-transfer-endpoint.ts";
import { removeLeftoverSqliteNames, UNFINISHED_DATABASE } from "../store/sqlite/leftover-sqlite-files.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import { openSqliteStoreForTransfer } from "../store/sqlite/sqlite-transfer-endpoint.ts";
import { openServerDailyCallReservationFile } from "./server-daily-call-reservation-file.ts";
import { makeServerDataFolder, openServerDataFolder, serverDatabaseFile } from "./server-data-folder.ts";
import { acquireServerInstanceLock } from "./server-instance-lock.ts";

export type MoveStep = "copying" | "comparing" | "photos";
type MoveDeps = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  random: FillRandom;
  /** A PostgreSQL address, or a folder. */
  to: string;
  /** Deletes what an interrupted move has left there. */
  again: boolean;
  onStep: (step: MoveStep, done: number, total: number) => void;
};
type MoveResult = { from: string; to: string; rows: TransferredRows; photos: number };

export const isServerMoveToPostgres = (place: string) => /^postgres(ql)?:/i.test(place);

/** The storage of photos, as far as a move needs it. */
type Pictures = {
  names(): Promise<string[]>;
  read(name: string): Promise<{ bytes: Uint8Array; writtenAt: Instant }>;
  write(name: string, bytes: Uint8Array, writtenAt: Instant): Promise<void>;
};
type Place = TransferEndpoint & { pictures: Pictures; close(): void | Promise<void> };
type Target = Place & { finish(): Promise<void> };

/**
 * Copies everything in the configured storage to another, empty one, and compares both. The source is not changed;
 * no server may run on it meanwhile. Throws an OperatorError if the move is impossible or the copies differ.
 */
export async function moveServerDataToStorage(deps: MoveDeps): Promise<MoveResult> {
  const { config, to, onStep } = deps;
  if (config.storage.url === "" && !isServerMoveToPostgres(to))
    throw new OperatorError(
      `both are data folders: ${config.storage.dataDir} and ${to}`,
      "Move to or from PostgreSQL. To copy a data folder, use `mainstay backup` and `mainstay restore`.",
    );
  const from =
    config.storage.url === "" ? await folderSource(deps) : await databaseSource(config.storage.url);
  try {
    const target = isServerMoveToPostgres(to) ? await databaseTarget(deps) : folderTarget(deps);
    try {
      const rows = await transferDatabase(from, target, onStep);
      const photos = await movePictures(from.pictures, target.pictures, onStep);
      await target.finish();
      return { from: from.name, to: target.name, rows, photos };
    } finally {
      await target.close();
    }
  } catch (error) {
    // One of both is a data folder.
    const folder = config.storage.url === "" ? config.storage.dataDir : to;
    throw explainSqliteError(transferErrorOf(error), serverDatabaseFile(folder));
  } finally {
    await from.close();
  }
}

async function movePictures(from: Pictures, to: Pictures, onStep: MoveDeps["onStep"]): Promise<number> {
  const names = await from.names();
  for (const [nth, name] of names.entries()) {
    const { bytes, writtenAt } = await from.read(name);
    await to.write(name, bytes, writtenAt);
    const copy = await to.read(name);
    if (Buffer.compare(copy.bytes, bytes) !== 0)
      throw new OperatorError(
        `the photo ${name} differs from the original`,
        "Run the move again with --again.",
      );
    onStep("photos", nth + 1, names.length);
  }
  return names.length;
}

async function folderSource({ config, env, clock, random }: MoveDeps): Promise<Place> {
  const { dataDir } = config.storage;
  const lock = acquireServerInstanceLock(dataDir);
  try {
    // Migrates the schema, and writes a killed server's call reservations to the database.
    const { store } = await openServerDataFolder({ config, env, clock, random });
    const ledger = openServerDailyCallReservationFile(dataDir);
    try {
      await new DailyCallLimits(store, clock, ledger).recover();
    } finally {
      ledger.close();
      await store.close();
    }
    const endpoint = openSqliteStoreForTransfer(serverDatabaseFile(dataDir), clock());
    return {
      ...endpoint,
      pictures: filesIn(dataDir),
      close() {
        endpoint.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function databaseSource(url: string): Promise<Place> {
  const endpoint = await openPostgresTransferSource(url);
  return { ...endpoint, pictures: storedPhotoQueries(endpoint.engine) };
}

async function databaseTarget({ to, again, clock }: MoveDeps): Promise<Target> {
  const endpoint = await openPostgresTransferTarget(to, { now: clock(), again });
  return { ...endpoint, pictures: storedPhotoQueries(endpoint.engine) };
}

/** A target data folder, whose database file gets its name last. */
function folderTarget({ config, env, to: dataDir, again, clock }: MoveDeps): Target {
  // A move that ended once the database had its name is complete: its key and photos stay.
  removeLeftoverSqliteNames(serverDatabaseFile(dataDir));
  const unfinished = join(dataDir, UNFINISHED_DATABASE);
  const found = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const isLeft = found.includes(UNFINISHED_DATABASE);
  if (isLeft && again)
    for (const name of found.filter((name) => name.startsWith(UNFINISHED_DATABASE) || LEFT.includes(name)))
      rmSync(join(dataDir, name), { recursive: true });
  else if (isLeft)
    throw new OperatorError(
      `${dataDir} contains the remains of an interrupted move`,
      "Run the move again with --again, which deletes them and starts over. The source was not changed.",
    );
  const inTheWay = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (inTheWay.length > 0)
    throw new OperatorError(
      `${dataDir} is not empty: there is ${inTheWay.slice(0, 3).join(", ")}`,
      "Specify an empty folder or one that does not exist yet.",
    );
  makeServerDataFolder(dataDir);
  const endpoint = openSqliteStoreForTransfer(unfinished, clock());
  let isOpen = true;
  const close = () => {
    if (isOpen) endpoint.close();
    isOpen = false;
  };
  return {
    ...endpoint,
    name: dataDir,
    pictures: filesIn(dataDir),
    close,
    async finish() {
      const key = masterKeyFilePath(config.storage.dataDir);
      if (!isMasterKeyProvided(env) && existsSync(key))
        await replaceFile(masterKeyFilePath(dataDir), readFileSync(key));
      close();
      settleLog(unfinished, dataDir);
      moveIntoPlace(unfinished, serverDatabaseFile(dataDir));
    },
  };
}

/**
 * Removes the files that SQLite may leave beside a closed database. Throws a StorageError if the log could not be
 * written into the file, as on a full disk: the database would get its name and lack rows.
 */
function settleLog(file: string, dataDir: string): void {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new StorageError(
      `the database in ${dataDir} could not be finished: its log does not fit in`,
      "Free some space on that disk, and run the command again with --again.",
    );
  for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
}

/** Files that a move creates beside the database. */
const LEFT: readonly string[] = ["uploads", "mainstay.key"];

function filesIn(dataDir: string): Pictures {
  const folder = join(dataDir, "uploads");
  return {
    names: async () => (existsSync(folder) ? readdirSync(folder).filter(meetsPhotoFileNameRule).sort() : []),
    read: async (name) => {
      const path = join(folder, name);
      return { bytes: readFileSync(path), writtenAt: Math.round(statSync(path).mtimeMs) };
    },
    async write(name, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(folder, name), bytes);
    },
  };
}

import { existsSync, mkdirSync } from "node:fs";
import { opendir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { backUpDeletedPhoto } from "../../backup/backup-deleted-photos.ts";
import { notFound, StorageError } from "../../domain/errors.ts";
import { meetsPhotoFileNameRule } from "../../domain/rules/photo-file-rule.ts";
import { fileSizeWording } from "../../domain/wording/file-size-wording.ts";
import { fileStorageError, replaceFile } from "../../files/durable-files.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Store } from "../../store/store.ts";
import type { PhotoFiles } from "../../usecases/photos/record-appliance-photos.ts";

const uploadsFolder = (dataDir: string) => join(dataDir, "uploads");

/** The space that uploads leave for the database, in bytes; 0 for no limit. */
type SpaceLimits = { minFreeBytes: number; maxDatabaseBytes: number };
const NO_LIMITS: SpaceLimits = { minFreeBytes: 0, maxDatabaseBytes: 0 };

type PhotoLog = Pick<Logger, "warn">;
const FOLDER_MISSING =
  "the folder of photo files was missing and is created again; the files of earlier photos are missing";

/** Opens the folder of photo files. Names are generated, never a caller's. */
function openUploads(dataDir: string, { minFreeBytes }: SpaceLimits, log?: PhotoLog): PhotoFiles {
  const folder = uploadsFolder(dataDir);
  const makeFolder = () => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw fileStorageError(error, folder);
    }
  };
  makeFolder();
  const discard = (filename: string) => rm(join(folder, filename), { force: true }).catch(() => {});
  return {
    async write(filename, bytes) {
      if (!existsSync(folder) && existsSync(dataDir)) {
        log?.warn({ folder }, FOLDER_MISSING);
        makeFolder();
      }
      try {
        await requireFreeSpace(folder, bytes.length, minFreeBytes);
        await replaceFile(join(folder, filename), bytes);
      } catch (error) {
        // The file may have its name, but not durably.
        await discard(filename);
        throw fileStorageError(error, folder);
      }
    },
    writeWithRecord: async () => {},
    discard,
    async read(filename) {
      const file = Bun.file(join(folder, filename));
      // For a missing file, the runtime would send an error of its own.
      if (!(await file.exists())) throw notFound("Photo not found");
      return file;
    },
    async remove(filename) {
      await backUpDeletedPhoto(dataDir, filename);
      await rm(join(folder, filename), { force: true });
    },
    async *writtenBefore(instant) {
      let names: string[] = [];
      for await (const { name } of await opendir(folder)) {
        if (!meetsPhotoFileNameRule(name)) continue;
        const written = await stat(join(folder, name)).catch(() => undefined);
        if (written === undefined || written.mtimeMs >= instant) continue;
        names.push(name);
        if (names.length < PAGE) continue;
        yield names;
        names = [];
      }
      yield names;
    },
  };
}

/** Stores photos in the database, so that a rollback removes them. */
function storedUploads(store: Store, { maxDatabaseBytes }: SpaceLimits): PhotoFiles {
  return {
    async write(_filename, bytes) {
      if (maxDatabaseBytes === 0) return;
      const { databaseBytes } = await store.sizes();
      if (databaseBytes + bytes.length > maxDatabaseBytes)
        throw new StorageError(
          `the database takes ${fileSizeWording(databaseBytes)}, and uploads may not let it exceed the ${fileSizeWording(maxDatabaseBytes)} of storage.max_database_bytes`,
          "Give its disk more space and raise storage.max_database_bytes.",
        );
    },
    writeWithRecord: (tx, filename, bytes) => tx.uploads.insert(filename, bytes, tx.now),
    discard: async () => {},
    async read(filename) {
      const bytes = await store.read.uploads.find(filename);
      if (!bytes) throw notFound("Photo not found");
      return new Blob([bytes as Uint8Array<ArrayBuffer>]);
    },
    async remove(filename) {
      await store.write((tx) => tx.uploads.remove([filename]));
    },
    async *writtenBefore(instant) {
      let names = await store.read.uploads.names("", instant, PAGE);
      while (names.length > 0) {
        yield names;
        names = await store.read.uploads.names(names.at(-1)!, instant, PAGE);
      }
    },
  };
}

/**
 * Returns the storage of a server. Logs a warning if the folder of photo files is missing although photos were stored:
 * somebody has removed it, or the data folder is incomplete. It is created again.
 */
export async function composeOpenPhotoStorage(
  store: Store,
  dataDir: string,
  limits: SpaceLimits,
  log: PhotoLog,
): Promise<PhotoFiles> {
  const folder = uploadsFolder(dataDir);
  if (!store.isShared && !existsSync(folder) && (await store.read.photos.any()))
    log.warn({ folder }, FOLDER_MISSING);
  return composePhotoStorage(store, dataDir, limits, log);
}

/** Returns the storage of photos: files, or the database where several servers have no common folder. */
export const composePhotoStorage = (
  store: Store,
  dataDir: string,
  limits = NO_LIMITS,
  log?: PhotoLog,
): PhotoFiles => (store.isShared ? storedUploads(store, limits) : openUploads(dataDir, limits, log));

async function requireFreeSpace(folder: string, bytes: number, minFreeBytes: number): Promise<void> {
  if (minFreeBytes === 0) return;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free - bytes < minFreeBytes)
    throw new StorageError(
      `${folder} has ${fileSizeWording(free)} free, and uploads leave the ${fileSizeWording(minFreeBytes)} of storage.min_free_bytes for the database`,
      "Free some space on that disk, or lower storage.min_free_bytes.",
    );
}

const PAGE = 200;

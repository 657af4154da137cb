import { statSync } from "node:fs";
import { join } from "node:path";
import { backupMemberContentOfFile } from "./backup-archive.ts";
import { createBackupFolderForDeletedPhotos, removeAbandonedBackupPhotos } from "./backup-deleted-photos.ts";

/** The photos of a data folder while a backup is written: those that are there, and those deleted meanwhile. */
export type KeptPhotos = {
  /** Returns the size of a photo's file; undefined if there is none. */
  bytesOf(name: string): number | undefined;
  /** Yields the content of a photo's file. Fails with ENOENT if there is none. */
  contentOf(name: string): AsyncIterable<Uint8Array>;
};

/**
 * Runs the work while photos that are deleted go to a folder, so that each photo of a copy of the database that is made
 * meanwhile can be read. Where the folder cannot be created, such as on a read-only disk, a photo can be read until it is
 * deleted.
 */
export async function runBackupWithDeletedPhotos<T>(
  dataDir: string,
  now: number,
  work: (photos: KeptPhotos) => Promise<T>,
): Promise<T> {
  const uploads = join(dataDir, "uploads");
  const deleted = createFolder(dataDir);
  const folders = [uploads, ...(deleted ? [deleted.path] : [])];
  const photos: KeptPhotos = {
    bytesOf: (name) =>
      folders
        .map((folder) => statSync(join(folder, name), { throwIfNoEntry: false })?.size)
        .find((bytes) => bytes !== undefined),
    async *contentOf(name) {
      try {
        yield* backupMemberContentOfFile(join(uploads, name))();
      } catch (error) {
        // A photo is in the folder before it is deleted.
        if (!deleted || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        yield* backupMemberContentOfFile(join(deleted.path, name))();
      }
    },
  };
  const remove = () => deleted?.remove();
  process.once("exit", remove);
  try {
    if (deleted) await removeAbandonedBackupPhotos(dataDir, now);
    return await work(photos);
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

function createFolder(dataDir: string): ReturnType<typeof createBackupFolderForDeletedPhotos> | undefined {
  try {
    return createBackupFolderForDeletedPhotos(dataDir);
  } catch {
    return undefined;
  }
}

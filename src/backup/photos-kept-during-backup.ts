import { chownSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileContent } from "./backup-archive.ts";
import { deletedPhotosFolder, removeAbandonedPhotos } from "./deleted-photos-for-backups.ts";

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
export async function withKeptPhotos<T>(
  dataDir: string,
  now: number,
  work: (photos: KeptPhotos) => Promise<T>,
): Promise<T> {
  const uploads = join(dataDir, "uploads");
  const deleted = deletedPhotosFolder(dataDir, now);
  // On a read-only disk, the removal of what is not there fails too.
  const remove = () => existsSync(deleted) && rmSync(deleted, { recursive: true, force: true });
  const photos: KeptPhotos = {
    bytesOf: (name) =>
      [uploads, deleted]
        .map((folder) => statSync(join(folder, name), { throwIfNoEntry: false })?.size)
        .find((bytes) => bytes !== undefined),
    async *contentOf(name) {
      try {
        yield* fileContent(join(uploads, name))();
      } catch (error) {
        // A photo is in the folder before it is deleted.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        yield* fileContent(join(deleted, name))();
      }
    },
  };
  process.once("exit", remove);
  try {
    if (createFolder(deleted, dataDir)) await removeAbandonedPhotos(dataDir, now);
    return await work(photos);
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

/** Creates a folder that the owner of the data folder can write to, also if the superuser takes the backup. */
function createFolder(folder: string, dataDir: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    const { uid, gid } = statSync(dataDir);
    if (uid !== process.geteuid?.()) chownSync(folder, uid, gid);
    return true;
  } catch {
    return false;
  }
}

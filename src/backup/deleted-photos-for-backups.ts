import { randomBytes } from "node:crypto";
import { copyFile, link, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/* The photos that a server deletes while backups are written. */

const FOLDER_NAME = /^\.uploads\.(\d+)\.[0-9a-f]{32}\.backup$/;
/** A backup takes hours at most. */
const ABANDONED_MS = 24 * 3_600_000;

/** Returns a new folder for the photos that are deleted during a backup that begins now. */
export const deletedPhotosFolder = (dataDir: string, now: number): string =>
  join(dataDir, `.uploads.${now}.${randomBytes(16).toString("hex")}.backup`);

/**
 * Puts a photo that is about to be deleted into the folder of each backup that is being written. Never rejects: the backup
 * counts a photo that it misses. `linkFile` is for tests.
 */
export async function keepForBackups(dataDir: string, filename: string, linkFile = link): Promise<void> {
  const path = join(dataDir, "uploads", filename);
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (!FOLDER_NAME.test(name)) continue;
    const kept = join(dataDir, name, filename);
    // Some file systems have no hard links. A part of a file would be taken for the photo.
    await linkFile(path, kept)
      .catch(({ code }) => (code === "EEXIST" ? undefined : copyFile(path, kept)))
      .catch(() => rm(kept, { force: true }))
      .catch(() => {});
  }
}

/** Removes the photos that were deleted during a backup that began over a day ago, whose process was killed. */
export async function removeAbandonedPhotos(dataDir: string, now: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const [, startedAt] = FOLDER_NAME.exec(name) ?? [];
    if (startedAt !== undefined && now - Number(startedAt) > ABANDONED_MS)
      await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

import { constants, Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { copyFile, link, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/*
 * The photos that a server deletes while backups are written. Each backup has a folder for them, with a lock that the
 * operating system releases with the process: the folder of one that was killed keeps nothing, and is removed.
 */

const FOLDER_NAME = /^\.uploads\.[0-9a-f]{32}\.backup$/;
/** The name of a folder that is not locked yet, or is being removed. */
const UNUSED_NAME = /^\.uploads\.[0-9a-f]{32}\.backup\.unused$/;
/** Neither takes longer than this, nor does a backup of an earlier version, which has no lock. */
const UNLOCKED_MS = 24 * 3_600_000;
const LOCK = "lock";

type DeletedPhotosFolder = { path: string; remove(): void };

/**
 * Creates a folder for the photos that are deleted from now on, which the owner of the data folder can write to, also if
 * the superuser takes the backup. Throws where the data folder is read-only.
 */
export function createBackupFolderForDeletedPhotos(dataDir: string): DeletedPhotosFolder {
  const path = join(dataDir, `.uploads.${randomBytes(16).toString("hex")}.backup`);
  const unused = `${path}.unused`;
  mkdirSync(unused, { mode: 0o700 });
  let lock: Database | undefined;
  try {
    lock = lockFolder(unused);
    const { uid, gid } = statSync(dataDir);
    if (uid !== process.geteuid?.()) for (const one of [unused, join(unused, LOCK)]) chownSync(one, uid, gid);
    renameSync(unused, path);
  } catch (error) {
    lock?.close();
    rmSync(unused, { recursive: true, force: true });
    throw error;
  }
  return {
    path,
    remove() {
      // Under its other name, no server adds photos to it while it is removed.
      if (existsSync(path)) renameSync(path, unused);
      lock?.close();
      rmSync(unused, { recursive: true, force: true });
    },
  };
}

function lockFolder(folder: string): Database {
  const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE } = constants;
  const lock = new Database(join(folder, LOCK), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  lock.run("PRAGMA journal_mode = MEMORY");
  lock.run("BEGIN EXCLUSIVE");
  return lock;
}

/** Returns whether the process that created a folder still has its lock; undefined for a folder without one. */
function isLocked(folder: string): boolean | undefined {
  const file = join(folder, LOCK);
  if (!existsSync(file)) return undefined;
  let lock: Database | undefined;
  try {
    lock = new Database(file, constants.SQLITE_OPEN_READONLY);
    lock.query("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch {
    // Busy, another user's, or removed meanwhile.
    return existsSync(file) || undefined;
  } finally {
    lock?.close();
  }
}

/**
 * Puts a photo that is about to be deleted into the folder of each backup that is being written. Never rejects: the backup
 * counts a photo that it misses. `linkFile` is for tests.
 */
export async function backUpDeletedPhoto(dataDir: string, filename: string, linkFile = link): Promise<void> {
  const path = join(dataDir, "uploads", filename);
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (!FOLDER_NAME.test(name)) continue;
    const folder = join(dataDir, name);
    const locked = isLocked(folder);
    if (locked === false) await rm(folder, { recursive: true, force: true }).catch(() => {});
    if (!locked) continue;
    const kept = join(folder, filename);
    // Some file systems have no hard links. A part of a file would be taken for the photo.
    await linkFile(path, kept)
      .catch(({ code }) => (code === "EEXIST" ? undefined : copyFile(path, kept)))
      .catch(() => rm(kept, { force: true }))
      .catch(() => {});
  }
}

/**
 * Removes the photos that were deleted during backups whose process was killed. Returns the folders that cannot be removed,
 * such as another user's.
 */
export async function removeAbandonedBackupPhotos(dataDir: string, now: number): Promise<string[]> {
  const left: string[] = [];
  for (const name of await readdir(dataDir)) {
    if (!FOLDER_NAME.test(name) && !UNUSED_NAME.test(name)) continue;
    const folder = join(dataDir, name);
    const locked = UNUSED_NAME.test(name) ? undefined : isLocked(folder);
    // Another process may remove it meanwhile.
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (locked || (locked === undefined && now - changedAt <= UNLOCKED_MS)) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => left.push(folder));
  }
  return left;
}

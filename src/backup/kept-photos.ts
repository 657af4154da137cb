import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isPhotoFileName } from "../domain/photo.ts";

/** The photos of a data folder while a backup is written. */
export type KeptPhotos = {
  /** Keeps the photos that are there, whatever is deleted later. */
  keep(names: readonly string[]): void;
  /** Returns the file of a photo, whether it exists or not. */
  pathOf(name: string): string;
};

const FOLDER_NAME = /^\.uploads\.[0-9a-f]{32}\.backup$/;
/** A backup takes hours at most. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Runs the work while hard links keep the photos that exist now, so that a partner that deletes photos all the time does
 * not prevent backups. Where hard links are not possible, a photo is there until it is deleted. `link` is for tests.
 */
export async function withKeptPhotos<T>(
  dataDir: string,
  now: number,
  work: (photos: KeptPhotos) => Promise<T>,
  link: typeof linkSync = linkSync,
): Promise<T> {
  const uploads = join(dataDir, "uploads");
  const folder = join(dataDir, `.uploads.${randomBytes(16).toString("hex")}.backup`);
  // On a read-only disk, the removal of what is not there fails too.
  const remove = () => existsSync(folder) && rmSync(folder, { recursive: true, force: true });
  const kept = new Set<string>();
  let isPossible = true;
  const photos: KeptPhotos = {
    keep(names) {
      for (const name of names) {
        if (!isPossible) return;
        if (kept.has(name)) continue;
        try {
          link(join(uploads, name), join(folder, name));
          kept.add(name);
        } catch (error) {
          // Other file systems and users have no hard links, or no more of them.
          if ((error as NodeJS.ErrnoException).code !== "ENOENT") isPossible = false;
        }
      }
    },
    pathOf: (name) => join(kept.has(name) ? folder : uploads, name),
  };
  process.once("exit", remove);
  try {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch {
      isPossible = false;
    }
    if (isPossible) removeAbandoned(dataDir, now);
    if (existsSync(uploads)) photos.keep(readdirSync(uploads).filter(isPhotoFileName));
    return await work(photos);
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

/** Removes the links that a killed process has left. */
function removeAbandoned(dataDir: string, now: number): void {
  for (const name of readdirSync(dataDir)) {
    if (!FOLDER_NAME.test(name)) continue;
    const path = join(dataDir, name);
    const status = statSync(path, { throwIfNoEntry: false });
    if (status && now - status.mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OperatorError, StorageError } from "./domain/errors.ts";

/**
 * Gives a finished file its final name, durably. Fails when that name is taken: a rename would replace what another
 * process has put there since it was last looked at.
 */
export function moveIntoPlace(from: string, to: string): void {
  syncPath(from);
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(to)) throw alreadyExists(to);
    // exFAT, some network file systems: no hard links
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    renameSync(from, to);
  }
  syncPath(dirname(to));
}

/** Writes a file at mode 0600, whole and durably, in place of one that has the name. A half of it is never seen. */
export async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.part`);
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** As `syncPath`, for a server, which has others to answer meanwhile. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function alreadyExists(path: string): OperatorError {
  return new OperatorError(`${path} exists already; it was not changed`, "Name a file that isn't there yet.");
}

/** Makes a file's content, or a folder's names, survive a power cut. Windows can't open a folder and does so by itself. */
export function syncPath(path: string): void {
  if (process.platform === "win32") return;
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/**
 * A new folder for work in progress, at mode 0700, gone when the work is done, when it fails, and when the process is
 * told to end in between.
 */
export async function withScratchFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new OperatorError(
      `${path} is there: this is being done by another process, or one was killed in the midst of it`,
      "Wait for the other one, or remove that folder.",
    );
  }
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await work();
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

/** Throws when the folder's file system has less room than that: better now than when the disk is full. */
export function requireFreeSpace(folder: string, bytes: number, purpose: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new OperatorError(
    `${purpose} needs ${inMegabytes(bytes)} in ${folder}, which has ${inMegabytes(free)} left`,
    "Make room, or name a folder on another disk.",
  );
}

export const inMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** The system's error codes for a full disk, and for a refused or failed write. */
const FULL = ["ENOSPC", "EDQUOT"];
const REFUSED = ["EACCES", "EPERM", "EROFS", "EIO", "EFBIG"];

/** Returns a StorageError that explains why `path` cannot be written; any other error unchanged. */
export function toStorageError(error: unknown, path: string): unknown {
  const { code = "", message } = error as { code?: string; message: string };
  if (FULL.includes(code))
    return new StorageError(
      `the disk is full: ${path} cannot be written (${code})`,
      "Make room on it and try again, or name a folder on another disk.",
    );
  if (REFUSED.includes(code))
    return new StorageError(
      `${path} cannot be written (${message})`,
      "Check that it belongs to the user that runs Mainstay, and that the disk is not mounted read-only or failing.",
    );
  return error;
}

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OperatorError, StorageError } from "../domain/errors.ts";
import { fileSizeWording } from "../domain/wording/file-size-wording.ts";

/** The remedy for a path that must be a file. */
export const FOLDER_REMEDY = "The path is a folder. Specify a file.";

/** Returns the error for a folder, a pipe or a device, with the remedy for each. */
export function notRegularFile(path: string): OperatorError {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const remedy = isFolder ? FOLDER_REMEDY : "Save its content to a file first.";
  return new OperatorError(`${path} is not a regular file`, remedy);
}

/** Reads a file. Throws an OperatorError for a pipe or a device: waiting for its content, the process would ignore signals. */
export function readRegularFile(path: string): Buffer {
  const status = statSync(path);
  // Reading a folder fails at once, with a code that says so.
  if (!status.isFile() && !status.isDirectory()) throw notRegularFile(path);
  return readFileSync(path);
}

/**
 * Moves a finished file to its final name, durably. Throws an OperatorError if the name exists: a rename would replace a
 * file that another process has created in the meantime.
 */
export function moveIntoPlace(from: string, to: string): void {
  syncPath(from);
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(to)) throw fileExistsError(to);
    // exFAT and some network file systems have no hard links.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    renameSync(from, to);
  }
  // Outside of the above, whose name would seem to be taken.
  rmSync(from, { force: true });
  syncPath(dirname(to));
}

/**
 * The flag that makes an open fail on a symbolic link, so that no link planted by another user leads a command of root to
 * another file. Windows has no such flag.
 */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

/** Returns an unpredictable hidden name in the same folder, `.NAME.RANDOM.part`, with a long NAME cut. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 60)}.${randomBytes(16).toString("hex")}.part`);
}

const TEMPORARY_NAME = /^\..{0,60}\.[0-9a-f]{32}\.part$/s;
/** A file that is written takes minutes at most. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Removes the files with names of `temporaryPath` that a killed process has left in a folder, once they are a day old.
 * Ignores links and folders, and a folder that does not exist. Returns their number.
 */
export async function sweepTemporaryFiles(folder: string, now: number): Promise<number> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  let removed = 0;
  for (const name of names) {
    if (!TEMPORARY_NAME.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile() || now - found.mtimeMs < ABANDONED_MS) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/** Creates a file at mode 0600 and returns its descriptor. Fails with EEXIST if the name exists, also as a link. */
export function openNewFile(path: string): number {
  return openSync(path, CREATE, 0o600);
}

/** Creates a file at mode 0600, durably. Fails with EEXIST if the name exists, also as a link. */
export function createFile(path: string, content: Uint8Array | string): void {
  const file = openNewFile(path);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes a file at mode 0600, durably, and replaces an existing one atomically; of a link, only the link. */
export async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = temporaryPath(path);
  const file = await open(temporary, CREATE, 0o600);
  try {
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

/** Does the same as `syncPath` for a folder, without blocking the server. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Returns the error for a new file whose path is taken. */
export function fileExistsError(path: string): OperatorError {
  return new OperatorError(
    `${path} already exists and was not changed`,
    "Specify a file that does not exist.",
  );
}

/** Flushes a file, or the entries of a folder, to disk. Windows cannot open folders and flushes them itself. */
export function syncPath(path: string): void {
  if (process.platform === "win32") return;
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Creates a folder at mode 0700 for the work, and removes it when the work ends, fails, or the process exits. */
export async function withScratchFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new OperatorError(
      `${path} exists: another process is doing the same, or was killed while it did`,
      "Wait for the other process, or remove that folder.",
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

/** Throws an OperatorError if the file system of the folder has less free space. */
export function requireFreeFileSpace(folder: string, bytes: number, purpose: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new OperatorError(
    `${purpose} needs ${fileSizeWording(bytes)} in ${folder}, which has ${fileSizeWording(free)} free`,
    "Free some space, or specify a folder on another disk.",
  );
}

/** Returns the error for a path that is a symbolic link, which somebody may have planted. */
export function symbolicLinkError(path: string): OperatorError {
  return new OperatorError(
    `${path} is a symbolic link, which Mainstay does not follow; nothing was written`,
    "Find out who created the link, and remove it.",
  );
}

/** The system's error codes for a full disk, and for a refused or failed write. */
const FULL = ["ENOSPC", "EDQUOT"];
const REFUSED = ["EACCES", "EPERM", "EROFS", "EIO", "EFBIG"];

/** Returns an OperatorError that explains why `path` cannot be written; any other error unchanged. */
export function fileStorageError(error: unknown, path: string): unknown {
  const { code = "", message } = error as { code?: string; message: string };
  if (FULL.includes(code))
    return new StorageError(
      `the disk is full: ${path} cannot be written (${code})`,
      "Free some space and try again, or specify a folder on another disk.",
    );
  if (code === "ELOOP") return symbolicLinkError(path);
  if (REFUSED.includes(code))
    return new StorageError(
      `${path} cannot be written (${message})`,
      "Check that the user running Mainstay owns it and that the disk is not read-only or failing.",
    );
  return error;
}

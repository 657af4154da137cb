import { SQLiteError } from "bun:sqlite";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DrizzleQueryError } from "drizzle-orm";
import {
  FullStorageError,
  OperatorError,
  StorageError,
  UnreadableStorageError,
} from "../../domain/errors.ts";

/** Returns an error that tells the operator what to do, or SQLite's error if there is nothing to do. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const { code = "", message } = error;
  if (code === "SQLITE_NOTADB") return notASqliteDatabaseError(file);
  if (code.startsWith("SQLITE_CORRUPT"))
    return new UnreadableStorageError(
      `${file} is damaged or cannot be read (${message})`,
      // SQLite reports a disk that cannot be read in the same way.
      "Look for errors of the disk in the system's log (`journalctl -k`). If there are none, restore the file from a backup with `mainstay restore`.",
    );
  if (code.startsWith("SQLITE_BUSY"))
    return new StorageError(
      `another process has locked ${file} for longer than a write waits; nothing was changed`,
      "Find it with `fuser` or `lsof`: an import or another command that is stopped inside a transaction. Continue or end it.",
    );
  const isRefused = /^SQLITE_(CANTOPEN|READONLY|IOERR)/.test(code);
  // If there is no space for a new file, SQLite reports that it cannot be opened.
  if (code === "SQLITE_FULL" || (isRefused && isDiskFull(dirname(file))))
    return new FullStorageError(
      `the disk is full: ${file} cannot be written`,
      `Free some space in ${dirname(file)}: a running server then resumes. Or use a folder on another disk.`,
    );
  if (code.startsWith("SQLITE_IOERR"))
    return new StorageError(
      `${file} cannot be read or written (${message}, ${code})`,
      "Check the disk: whether it is full, over a quota, or failing.",
    );
  if (isRefused)
    return new StorageError(
      `${file} cannot be opened for writing (${message})`,
      `Check that ${dirname(file)} and what is in it belong to the user that runs Mainstay, and that the disk is not mounted read-only.`,
    );
  return error;
}

/** Less than a page of the write-ahead log and its index need. */
const FULL_BYTES = 65_536;

function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < FULL_BYTES;
  } catch {
    return false;
  }
}

/** Returns the error of a query without its values, which are the partners', so that it can be logged. */
export function sqliteErrorWithoutValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return error.cause instanceof SQLiteError ? error.cause : new Error(`a query failed: ${error.query}`);
}

/** Returns the error for a file that is no SQLite database. */
export function notASqliteDatabaseError(file: string): OperatorError {
  return new OperatorError(
    `${file} is no SQLite database`,
    "Restore it from a backup with `mainstay restore`, or name another data folder.",
  );
}

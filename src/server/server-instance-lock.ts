import { constants, Database, SQLiteError } from "bun:sqlite";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { symbolicLinkError } from "../files/durable-files.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import { serverDatabaseFile } from "./server-data-folder.ts";

/**
 * Makes this process the only server of a data folder, until `release` or the end of the process. The lock is
 * SQLite's own on an empty database beside the real one, and the operating system releases it with the process.
 * Throws an OperatorError if another process holds it, or if the name is a link.
 */
export function acquireServerInstanceLock(
  dataDir: string,
  refusal = () =>
    new OperatorError(
      `another Mainstay server is already running on the data folder ${dataDir}`,
      "Stop it first, or specify another folder with --data-dir.",
    ),
): { release(): void } {
  const db = openLockFile(dataDir);
  try {
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_BUSY")) throw error;
    throw refusal();
  }
  return {
    release: () => {
      db.run("ROLLBACK");
      db.close();
    },
  };
}

const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_NOFOLLOW } = constants;

/** Follows no link, since SQLite would create the file that it points to. The folder itself may be behind a link. */
function openLockFile(dataDir: string): Database {
  const file = join(realPathOf(dataDir), "mainstay.lock");
  try {
    return new Database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW);
  } catch (error) {
    throw (error as SQLiteError).code === "SQLITE_CANTOPEN_SYMLINK" ? symbolicLinkError(file) : error;
  }
}

/** Returns the path unchanged if it cannot be resolved: SQLite then reports why. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Calls `acquireServerInstanceLock` and explains the system's refusals. */
export function lockServerDataFolder(dataDir: string): ReturnType<typeof acquireServerInstanceLock> {
  try {
    return acquireServerInstanceLock(dataDir);
  } catch (error) {
    throw explainSqliteError(error, serverDatabaseFile(dataDir));
  }
}

/** Calls `acquireServerInstanceLock` for a migration outside of a server. A server that runs meanwhile has an older version. */
export function lockServerDataFolderForMigration(
  dataDir: string,
): ReturnType<typeof acquireServerInstanceLock> {
  return acquireServerInstanceLock(
    dataDir,
    () =>
      new OperatorError(
        `the schema cannot be migrated while a server is running on the data folder ${dataDir}`,
        "Stop it first, then run the command again or start this version.",
      ),
  );
}

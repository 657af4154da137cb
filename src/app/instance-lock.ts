import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { explainError } from "../store/sqlite/errors.ts";
import { databaseFile } from "./data-folder.ts";

/**
 * Makes this process the only server of a data folder, until `release` or the end of the process. The lock is
 * SQLite's own on an empty database beside the real one, and the operating system releases it with the process.
 * Throws an OperatorError if another process holds it.
 */
export function lockInstance(dataDir: string): { release(): void } {
  const file = join(dataDir, "mainstay.lock");
  const db = new Database(file, { create: true, readwrite: true });
  try {
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_BUSY")) throw error;
    throw new OperatorError(
      `another Mainstay server is already running on the data folder ${dataDir}`,
      "Stop it first, or specify another folder with --data-dir.",
    );
  }
  return {
    release: () => {
      db.run("ROLLBACK");
      db.close();
    },
  };
}

/** Calls `lockInstance` and explains the system's refusals. */
export function lockFolder(dataDir: string): ReturnType<typeof lockInstance> {
  try {
    return lockInstance(dataDir);
  } catch (error) {
    throw explainError(error, databaseFile(dataDir));
  }
}

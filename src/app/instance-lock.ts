import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { explainError } from "../store/sqlite/errors.ts";
import { databaseFile } from "./data-folder.ts";

/**
 * Makes this the one server of a data folder, until `release` or the end of the process, however it ends: the lock is
 * SQLite's own on an empty database beside the real one, which the operating system lets go with the process.
 * Throws an OperatorError when another has it.
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
      `another Mainstay already serves the data folder ${dataDir}`,
      "Stop that one first, or name another folder with --data-dir.",
    );
  }
  return {
    release: () => {
      db.run("ROLLBACK");
      db.close();
    },
  };
}

/** As `lockInstance`, with the system's refusals in an operator's words. */
export function lockFolder(dataDir: string): ReturnType<typeof lockInstance> {
  try {
    return lockInstance(dataDir);
  } catch (error) {
    throw explainError(error, databaseFile(dataDir));
  }
}

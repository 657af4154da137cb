import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../../domain/errors.ts";

/** The name of the database file in a data folder that is the target of an unfinished move. */
export const UNFINISHED_DATABASE = "mainstay.db.unfinished";

/** The folder into which a backup is unpacked, in a data folder that existed before. */
export const RESTORING_FOLDER = ".restoring";

/**
 * Removes the earlier name that a database file keeps if a move or a restore ended between giving it its name and
 * removing that one. Of other files with these names it removes none.
 */
export function removeLeftoverSqliteNames(databaseFile: string): void {
  const folder = dirname(databaseFile);
  const database = statSync(databaseFile, { throwIfNoEntry: false });
  if (database === undefined || database.nlink === 1) return;
  for (const name of [UNFINISHED_DATABASE, join(RESTORING_FOLDER, basename(databaseFile))]) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === database.ino && found.dev === database.dev) rmSync(path);
  }
}

/** Returns whether the file has a database. SQLite treats an empty file as a new database. */
export function hasSqliteContent(databaseFile: string): boolean {
  return bytesOf(databaseFile) > 0;
}

/**
 * Throws an OperatorError if the database is missing or empty although the folder has other files of an installation.
 * Opening the database would create a new one, and SQLite would delete the write-ahead log. Changes nothing.
 */
export function refuseLeftoverSqliteFiles(databaseFile: string): void {
  if (hasSqliteContent(databaseFile)) return;
  const folder = dirname(databaseFile);
  if (bytesOf(join(folder, UNFINISHED_DATABASE)) >= 0)
    throw new OperatorError(
      `${folder} contains the remains of an interrupted move`,
      "Move again with `mainstay move --to … --again`, or remove the folder. Where it came from nothing was changed.",
    );
  const found = [
    ...(bytesOf(`${databaseFile}-wal`) > 0 ? [`${databaseFile}-wal`] : []),
    ...(bytesOf(join(folder, "mainstay.key")) > 0 ? [join(folder, "mainstay.key")] : []),
    ...(filesIn(join(folder, "uploads")) > 0 ? [`${join(folder, "uploads")} with files`] : []),
  ];
  if (found.length === 0) return;
  const state = bytesOf(databaseFile) === 0 ? "is empty" : "is missing";
  throw new OperatorError(
    `${databaseFile} ${state}, and this is not a new installation: there is ${found.join(" and ")}; nothing was touched`,
    "Put the database back in its place, or restore the last good backup with `mainstay restore` into a new folder. " +
      "If the folder is to become a new installation, move its contents away.",
  );
}

/** Returns the size of a file; -1 if there is none. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

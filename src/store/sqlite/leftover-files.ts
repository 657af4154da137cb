import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperatorError } from "../../domain/errors.ts";

/** The database of a data folder that is being moved to. */
export const UNFINISHED_DATABASE = "mainstay.db.unfinished";

/** Whether a database was ever made there. SQLite takes an empty file for a new one. */
export function hasDatabase(databaseFile: string): boolean {
  return bytesOf(databaseFile) > 0;
}

/**
 * Throws an OperatorError when the database is missing or empty, and beside it stands what only an installation has.
 * Opening it would make a new database of it, and SQLite would remove the write-ahead log. Touches nothing.
 */
export function refuseLeftoverFiles(databaseFile: string): void {
  if (hasDatabase(databaseFile)) return;
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
    `${databaseFile} ${state}, and this is no new installation: there is ${found.join(" and ")}; nothing was touched`,
    "Put the database back in its place, or restore the last good backup with `mainstay restore` into a new folder. " +
      "If the folder is meant to become a new installation, move away what is there.",
  );
}

/** -1 when there is none. */
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

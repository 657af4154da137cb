import { realpathSync, statSync } from "node:fs";
import { StorageError } from "../../domain/errors.ts";
import { fileStorageError } from "../../files/durable-files.ts";

const SUFFIXES = ["", "-wal", "-shm"];

/**
 * Returns a function that throws a StorageError if a file of a database was deleted, moved or replaced since now, when it is
 * open. SQLite would continue with the files that it has open, and what it commits to them is lost with the process.
 */
export function guardOpenSqliteFiles(file: string): () => void {
  // SQLite keeps its other files beside the database itself, also if a link leads to its folder.
  const path = realpathSync(file);
  const opened = SUFFIXES.map((suffix) => ({ suffix, identity: identityOf(path + suffix) }));
  return () => {
    for (const { suffix, identity } of opened)
      if (identityOf(path + suffix) !== identity)
        throw new StorageError(
          `${file}${suffix} was deleted, moved or replaced while it was open; nothing was changed`,
          "Stop the server and all commands, put the database's files back together or restore a backup with `mainstay restore`, and start the server again.",
        );
  };
}

/** Returns what tells a file from any other that gets its name; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    return status && `${status.dev}:${status.ino}`;
  } catch (error) {
    throw fileStorageError(error, path);
  }
}

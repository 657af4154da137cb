import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store, StoreOptions } from "../store.ts";
import { copyDatabase, openForReading } from "./inspect.ts";
import { openSqliteStore } from "./store.ts";

/**
 * Runs something on a copy of the database that is thrown away afterwards, also when the process is interrupted:
 * what a command would do, with nothing done. Copying holds no lock that a writer waits for, and takes as much room
 * beside the database as that has. Throws a StorageError when there is none.
 */
export async function withScratchCopy<T>(
  file: string,
  options: StoreOptions,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(dirname(file), "scratch-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const copy = join(folder, "copy.db");
    const original = openForReading(file);
    try {
      copyDatabase(original, copy);
    } finally {
      original.close();
    }
    const store = openSqliteStore(copy, options);
    try {
      return await run(store);
    } finally {
      await store.close();
    }
  } finally {
    remove();
    process.off("exit", remove);
  }
}

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
  const copy = async (target: string) => {
    const original = openForReading(file);
    try {
      copyDatabase(original, target);
    } finally {
      original.close();
    }
  };
  return await withScratch(dirname(file), copy, options, run);
}

/** As `withScratchCopy`, on what `fill` makes of a file's path; in a folder within the one that is given. */
export async function withScratch<T>(
  within: string,
  fill: (file: string) => Promise<void>,
  options: StoreOptions,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(within, "scratch-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const file = join(folder, "copy.db");
    await fill(file);
    const store = openSqliteStore(file, options);
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

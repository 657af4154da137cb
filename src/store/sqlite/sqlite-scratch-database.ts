import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store, StoreOptions } from "../store.ts";
import { copySqliteDatabase, openSqliteForReading } from "./inspect-sqlite-database.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/**
 * Runs a function on a temporary copy of the database, for commands that show what they would do. The copy is deleted
 * afterwards, also when the process is interrupted. Writers do not wait for it. It needs as much disk space as the
 * database; throws a StorageError when that is missing.
 */
export async function withSqliteScratchCopy<T>(
  file: string,
  options: StoreOptions,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const copy = async (target: string) => {
    const original = openSqliteForReading(file);
    try {
      copySqliteDatabase(original, target);
    } finally {
      original.close();
    }
  };
  return await withSqliteScratchDatabase(dirname(file), copy, options, run);
}

/** Runs a function on a temporary database that `fill` creates at a path inside a folder, as `withSqliteScratchCopy` does. */
export async function withSqliteScratchDatabase<T>(
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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type } from "arktype";
import { replaceFile } from "../files.ts";

const shape = type({
  /** When it began, as an ISO instant. */
  at: "string",
  ok: "boolean",
  /** Whether it could be restored; null when there was nothing to try. */
  drill_ok: "boolean | null",
  file: "string",
  bytes: "number | null",
  /** Backup and drill together. */
  duration_ms: "number",
  error: "string | null",
});

/** How the latest scheduled backup went. */
export type LastBackup = typeof shape.infer;

const fileOf = (dataDir: string) => join(dataDir, "last-backup.json");

/** The latest scheduled backup of a data folder; undefined when there was none, or no record can be read. */
export function readLastBackup(dataDir: string): LastBackup | undefined {
  try {
    const read = shape(JSON.parse(readFileSync(fileOf(dataDir), "utf8")));
    return read instanceof type.errors ? undefined : read;
  } catch {
    return undefined;
  }
}

/** Keeps it across restarts: beside the database and not in it, so that it says so when the database can't be written. */
export async function writeLastBackup(dataDir: string, last: LastBackup): Promise<void> {
  await replaceFile(fileOf(dataDir), `${JSON.stringify(last)}\n`);
}

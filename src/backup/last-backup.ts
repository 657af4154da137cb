import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/durable-files.ts";

/** The result of the latest scheduled backup. */
export type LastBackup = {
  /** The start time in ISO 8601. */
  at: string;
  ok: boolean;
  /** The result of the restore test; null if there was no backup to test. */
  drill_ok: boolean | null;
  file: string;
  bytes: number | null;
  /** The duration of the backup and the restore test. */
  duration_ms: number;
  error: string | null;
};

const fileOf = (dataDir: string) => join(dataDir, "last-backup.json");

/** Returns the latest scheduled backup of a data folder; undefined if there is none or its record is unreadable. */
export function readLastBackup(dataDir: string): LastBackup | undefined {
  try {
    return checked(JSON.parse(readFileSync(fileOf(dataDir), "utf8")));
  } catch {
    return undefined;
  }
}

function checked(value: unknown): LastBackup | undefined {
  // Imported on first use, since loading it takes longer than most commands.
  const { type } =
    require("../validation/arktype-validators.ts") as typeof import("../validation/arktype-validators.ts");
  const read = type({
    at: "string",
    ok: "boolean",
    drill_ok: "boolean | null",
    file: "string",
    bytes: "number | null",
    duration_ms: "number",
    error: "string | null",
  })(value);
  return read instanceof type.errors ? undefined : read;
}

/** Saves the result beside the database, not in it, so that it is available if the database cannot be written. */
export async function writeLastBackup(dataDir: string, last: LastBackup): Promise<void> {
  await replaceFile(fileOf(dataDir), `${JSON.stringify(last)}\n`);
}

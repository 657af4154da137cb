import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files.ts";

/** How the latest scheduled backup went. */
export type LastBackup = {
  /** When it began, as an ISO instant. */
  at: string;
  ok: boolean;
  /** Whether it could be restored; null when there was nothing to try. */
  drill_ok: boolean | null;
  file: string;
  bytes: number | null;
  /** Backup and drill together. */
  duration_ms: number;
  error: string | null;
};

const fileOf = (dataDir: string) => join(dataDir, "last-backup.json");

/** The latest scheduled backup of a data folder; undefined when there was none, or no record can be read. */
export function readLastBackup(dataDir: string): LastBackup | undefined {
  try {
    return checked(JSON.parse(readFileSync(fileOf(dataDir), "utf8")));
  } catch {
    return undefined;
  }
}

function checked(value: unknown): LastBackup | undefined {
  // Loaded when there is something to check: it takes longer than all that most commands do.
  const { type } = require("../shapes.ts") as typeof import("../shapes.ts");
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

/** Keeps it across restarts: beside the database and not in it, so that it says so when the database can't be written. */
export async function writeLastBackup(dataDir: string, last: LastBackup): Promise<void> {
  await replaceFile(fileOf(dataDir), `${JSON.stringify(last)}\n`);
}

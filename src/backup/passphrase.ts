import { readOneLine } from "../secrets/one-line-file.ts";

/** The passphrase for a backup: the file's line when one was named, else the setting's; undefined for none. */
export function readPassphrase(file: string | undefined, setting: string): string | undefined {
  if (file === undefined) return setting === "" ? undefined : setting;
  return readOneLine(file, "passphrase");
}

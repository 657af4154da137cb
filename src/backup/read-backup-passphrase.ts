import { readOneLineSecret } from "../secrets/secret-file.ts";

/** Returns the passphrase from the file, else from the setting; undefined if there is none. */
export function readBackupPassphrase(file: string | undefined, setting: string): string | undefined {
  if (file === undefined) return setting === "" ? undefined : setting;
  return readOneLineSecret(file, "passphrase");
}

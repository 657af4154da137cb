import { readFileSync } from "node:fs";
import { OperatorError } from "../domain/errors.ts";

/**
 * The passphrase for a backup: the file's line when one was named, else the setting's; undefined for none. The
 * line's end is no part of it.
 */
export function readPassphrase(file: string | undefined, setting: string): string | undefined {
  if (file === undefined) return setting === "" ? undefined : setting;
  const text = read(file).replace(/\r?\n$/, "");
  if (text === "" || /[\r\n]/.test(text))
    throw new OperatorError(
      `${file} holds no passphrase: it ${text === "" ? "is empty" : "has more than one line"}`,
      "Write the passphrase into it, on one line.",
    );
  return text;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(
      `the passphrase file ${file} can't be read (${(error as NodeJS.ErrnoException).code})`,
      "Check its path and permissions.",
    );
  }
}

import { readFileSync } from "node:fs";
import { OperatorError } from "../domain/errors.ts";

/** The one line of a file that keeps a secret out of the list of processes; its end is no part of it. */
export function readOneLine(file: string, what: string): string {
  const text = read(file, what).replace(/\r?\n$/, "");
  if (text === "" || /[\r\n]/.test(text))
    throw new OperatorError(
      `${file} holds no ${what}: it ${text === "" ? "is empty" : "has more than one line"}`,
      `Write the ${what} into it, on one line.`,
    );
  return text;
}

function read(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(
      `the ${what} file ${file} can't be read (${(error as NodeJS.ErrnoException).code})`,
      "Check its path and permissions.",
    );
  }
}

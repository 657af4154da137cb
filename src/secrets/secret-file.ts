import { OperatorError } from "../domain/errors.ts";
import { readRegularFile } from "../files/durable-files.ts";

/** Reads a secret from a file of one line, without its line end. A command-line argument would be visible to all users. */
export function readOneLineSecret(file: string, what: string): string {
  const text = read(file, what).replace(/\r?\n$/, "");
  if (text === "" || /[\r\n]/.test(text))
    throw new OperatorError(
      `${file} does not contain a ${what}: it ${text === "" ? "is empty" : "has more than one line"}`,
      `Write the ${what} to the file on a single line.`,
    );
  return text;
}

function read(file: string, what: string): string {
  try {
    return readRegularFile(file).toString("utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `cannot read the ${what} file ${file} (${(error as NodeJS.ErrnoException).code})`,
      "Check its path and permissions.",
    );
  }
}

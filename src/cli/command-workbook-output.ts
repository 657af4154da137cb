import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileExistsError, fileStorageError, openNewFile } from "../files/durable-files.ts";
import { UsageError } from "./command.ts";
import type { CommandContext } from "./command-context.ts";

/** Throws a UsageError unless a file is named for a workbook, and for nothing else. */
export function checkCommandWorkbookOutput(format: string, output: string | undefined): void {
  if ((format === "xlsx") !== (output !== undefined))
    throw new UsageError(
      "--format xlsx and --output FILE must be used together",
      "Other formats go to standard output.",
    );
}

/** Writes a workbook to a new file, and prints its path. */
export function writeCommandWorkbook(context: CommandContext, output: string, bytes: Uint8Array): void {
  const file = resolve(context.cwd, output);
  createCommandWorkbookFile(file, bytes);
  context.print({ file, bytes: bytes.length }, `Wrote ${file}`);
}

/** Writes a workbook to a new file, readable for the owner only, since portfolios are confidential. Overwrites none. */
export function createCommandWorkbookFile(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(openNewFile(file), bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw fileExistsError(file);
    throw fileStorageError(error, file);
  }
}

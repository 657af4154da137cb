import { readFileSync, statSync } from "node:fs";
import { OperatorError } from "../domain/errors.ts";
import { notRegularFile } from "../files/durable-files.ts";
import {
  MAX_WORKBOOK_BYTES,
  readWorkbookTables,
  type SheetTable,
  tooLargeWorkbook,
  type WorkbookLimits,
} from "./workbook-tables.ts";

export const isWorkbook = (path: string): boolean => /\.xlsx$/i.test(path);

/** Reads the sheets of a workbook that have rows. Throws an OperatorError for a file that is protected, damaged or too large. */
export async function readWorkbook(
  path: string,
  limits: Partial<WorkbookLimits> = {},
): Promise<SheetTable[]> {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`file not found: ${path}`, "Check the path.");
  if (!status.isFile()) throw notRegularFile(path);
  if (status.size > MAX_WORKBOOK_BYTES) throw tooLargeWorkbook(path);
  return await readWorkbookTables(path, readFileSync(path), limits);
}

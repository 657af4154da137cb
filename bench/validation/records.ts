import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { type Day, dayNumber } from "../../src/domain/time.ts";

/** Reads a CSV file with a header line; every value is a text. */
export function readRecords(file: string): Record<string, string>[] {
  return parse(readFileSync(file, "utf8"), { columns: true, bom: true, skip_empty_lines: true });
}

/** Returns the number of a day written as `YYYY-MM-DD`. */
export const dayOf = (text: string): number => dayNumber(text as Day);

import { appendFileSync, closeSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import { createFile, fileStorageError, openNewFile } from "../files/durable-files.ts";
import { neutralizeCsvFormula } from "./csv-formulas.ts";

/** Returns a row as a line of CSV, which `readCsv` reads back unchanged. */
export function csvLine(cells: readonly string[]): string {
  // Quotes leading and trailing spaces, since other programs drop them, and all kinds of line ends.
  return stringify([[...cells]], { quoted_match: /^\s|\s$|\r/ });
}

type Cell = string | number | boolean | null;

/** Returns a row for spreadsheets. Text that looks like a formula is neutralized; other programs must restore it. */
export function spreadsheetCsvLine(cells: readonly Cell[]): string {
  return csvLine(cells.map(spreadsheetCell));
}

function spreadsheetCell(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "string" ? neutralizeCsvFormula(cell) : String(cell);
}

/**
 * A CSV file for spreadsheets that is created with its first row, under the first free name: NAME.csv, NAME-2.csv, … A name is
 * free if no file has it, and none has it followed by `companion`, the end of the name of a second file.
 */
export class CsvFile {
  #open: { path: string; descriptor: number } | undefined;

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly heading: readonly string[],
    private readonly companion: string,
  ) {}

  /** Undefined before the first row. */
  get path(): string | undefined {
    return this.#open?.path;
  }

  append(rows: readonly (readonly string[])[]): void {
    if (rows.length === 0) return;
    const text = rows.map(spreadsheetCsvLine).join("");
    try {
      this.#open ??= this.#create();
      appendFileSync(this.#open.descriptor, text);
    } catch (error) {
      throw fileStorageError(error, this.folder);
    }
  }

  /** Creates the companion, once. Nothing before the first row. */
  writeCompanion(text: string): void {
    if (!this.#open) return;
    try {
      createFile(this.#open.path + this.companion, text);
    } catch (error) {
      throw fileStorageError(error, this.folder);
    }
  }

  close(): void {
    if (this.#open) closeSync(this.#open.descriptor);
  }

  /** Never overwrites a file, which a user may be editing. */
  #create(): { path: string; descriptor: number } {
    mkdirSync(this.folder, { recursive: true });
    for (let n = 1; ; n++) {
      const path = join(this.folder, n === 1 ? `${this.name}.csv` : `${this.name}-${n}.csv`);
      // A companion of a file that is gone would be taken for this one's; a planted link would lead to another file.
      if (lstatSync(path + this.companion, { throwIfNoEntry: false })) continue;
      const descriptor = openExclusively(path);
      if (descriptor === undefined) continue;
      appendFileSync(descriptor, spreadsheetCsvLine(this.heading));
      return { path, descriptor };
    }
  }
}

function openExclusively(path: string): number | undefined {
  try {
    // Readable for the owner only, since portfolios are confidential.
    return openNewFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

import { appendFileSync, closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import { toStorageError } from "../files.ts";

/** One row as a line of CSV that `readCsv` reads back as it was. */
export function csvLine(cells: readonly string[]): string {
  // Spaces at the ends are quoted, since other programs drop them, and line ends of any kind.
  return stringify([[...cells]], { quoted_match: /^\s|\s$|\r/ });
}

type Cell = string | number | boolean | null;

/**
 * One row for whoever opens it with a spreadsheet: a text that it would take for a formula has a quote in front, which
 * makes it a text there too. Others who read the file take that quote off.
 */
export function sheetLine(cells: readonly Cell[]): string {
  return csvLine(cells.map(sheetCell));
}

function sheetCell(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "string" && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell)
    ? `'${cell}`
    : String(cell);
}

/** A CSV file that is made with its first row, in the folder, under the first free name: NAME.csv, NAME-2.csv, … */
export class CsvFile {
  #open: { path: string; descriptor: number } | undefined;

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly heading: readonly string[],
  ) {}

  /** Undefined until there is a row. */
  get path(): string | undefined {
    return this.#open?.path;
  }

  append(rows: readonly (readonly string[])[]): void {
    if (rows.length === 0) return;
    const text = rows.map(csvLine).join("");
    try {
      this.#open ??= this.#create();
      appendFileSync(this.#open.descriptor, text);
    } catch (error) {
      throw toStorageError(error, this.folder);
    }
  }

  close(): void {
    if (this.#open) closeSync(this.#open.descriptor);
  }

  /** Never over a file that is there: somebody may be mending it. */
  #create(): { path: string; descriptor: number } {
    mkdirSync(this.folder, { recursive: true });
    for (let n = 1; ; n++) {
      const path = join(this.folder, n === 1 ? `${this.name}.csv` : `${this.name}-${n}.csv`);
      const descriptor = openNew(path);
      if (descriptor === undefined) continue;
      appendFileSync(descriptor, csvLine(this.heading));
      return { path, descriptor };
    }
  }
}

function openNew(path: string): number | undefined {
  try {
    // For its owner alone: portfolios are nobody else's business.
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

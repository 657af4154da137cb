import { appendFileSync, writeFileSync } from "node:fs";
import type { CsvSource } from "../../../csv/csv-source.ts";
import { csvLine } from "../../../csv/write-csv.ts";
import type { ImportSizeMeter } from "./import-size-meter.ts";
import type { TableCells } from "./import-source-table.ts";

/** The column with the file and line of the original row. */
export const ORIGIN = "source_row";
const BUFFERED = 256 * 1024;

/** Rows in the importer's own columns, in a file if there is a path for it. */
export class PreparedFile {
  #waiting: string;

  constructor(
    private readonly path: string | undefined,
    private readonly columns: readonly string[],
    private readonly meter: ImportSizeMeter,
  ) {
    this.#waiting = csvLine(columns);
    if (path !== undefined) writeFileSync(path, "", { mode: 0o600, flag: "wx" });
  }

  add(cells: TableCells, origin: string): void {
    const line = csvLine(this.columns.map((column) => (column === ORIGIN ? origin : (cells[column] ?? ""))));
    this.meter.count(line.length);
    this.#waiting += line;
    if (this.path !== undefined && this.#waiting.length > BUFFERED) this.#flush(this.path);
  }

  /** Returns the source of all rows. */
  end(): CsvSource {
    if (this.path === undefined) return { name: "rows", text: this.#waiting };
    this.#flush(this.path);
    return { path: this.path, isPrepared: true };
  }

  #flush(path: string): void {
    appendFileSync(path, this.#waiting);
    this.#waiting = "";
  }
}

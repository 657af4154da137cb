import { REJECT_COLUMNS, tableCellsHaveRejectColumns } from "../../table-cells/table-limits.ts";
import { downloadCsv } from "../browser/browser-csv-file.ts";
import type { AppImportFile, ImportRun, RejectedRow } from "./app-import-file.ts";

/** The rows of a file that an import or a check has rejected. */
export type AppRejects = { file: Pick<AppImportFile, "name" | "columns">; rejected: readonly RejectedRow[] };

/** Offers rejected rows as a download. */
export function downloadAppRejects({ file, rejected }: AppRejects): void {
  const { name, columns, rows } = appRejectsFile(file, rejected);
  downloadCsv(name, columns, rows);
}

/** Returns the rejected rows of a file as a file to correct: its name, its columns, and its rows with the reasons. */
export function appRejectsFile(
  file: Pick<AppImportFile, "name" | "columns">,
  rejected: readonly RejectedRow[],
): { name: string; columns: string[]; rows: (string | number)[][] } {
  // Rows may be rejected again.
  const own = tableCellsHaveRejectColumns(file.columns)
    ? file.columns.slice(0, -REJECT_COLUMNS.length)
    : file.columns;
  return {
    name: `${stemOf(file.name)}-rejected.csv`,
    columns: [...own, ...REJECT_COLUMNS],
    rows: rejected.map(({ row, error }) => [...row.cells.slice(0, own.length), row.number, error]),
  };
}

/** Returns the name of a file without its ending, and without the number that browsers give a second download. */
const stemOf = (name: string): string =>
  name.replace(/\.(csv|xlsx)(?=$|, sheet )/i, "").replace(/ ?\(\d{1,3}\)$/, "");

/**
 * The continuations of the imports of this page by the names of their files of rejected rows: corrected, these are further rows
 * of the file, so that one that equals an imported one is not taken for it. A repeated import of them begins the same.
 */
export class AppRejectsContinuations {
  readonly #byStem = new Map<string, string>();

  add(file: AppImportFile, { isDry, isDone, continuation, rejected }: ImportRun): void {
    if (isDry || !isDone || continuation === undefined || rejected.length === 0) return;
    this.#byStem.set(stemOf(appRejectsFile(file, []).name), continuation);
  }

  of(file: AppImportFile): string | undefined {
    return tableCellsHaveRejectColumns(file.columns) ? this.#byStem.get(stemOf(file.name)) : undefined;
  }
}

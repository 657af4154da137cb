import { neutralizeFormula, restoreFormula } from "../../spreadsheet-text.ts";
import { downloadFile } from "./download.ts";

type Cell = string | number | boolean | null;

export const CSV_TYPE = "text/csv;charset=utf-8";

/** Offers rows as a CSV download. */
export function downloadCsv(
  name: string,
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  downloadFile(name, new Blob([csvText(heading, rows)], { type: CSV_TYPE }));
}

/** Returns rows as CSV, neutralized for spreadsheets as the API's. */
export function csvText(heading: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** Parses CSV as the API writes it (RFC 4180), and restores texts that look like formulas. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [match, quoted, plain, end] of text.matchAll(CELL)) {
    // The end of a text without a line end is one more match, an empty last cell of a row if there is one.
    if (match === "" && row.length === 0) break;
    row.push(restoreFormula(quoted?.replaceAll('""', '"') ?? plain!));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = neutralizeFormula(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

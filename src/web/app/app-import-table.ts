import { MOST_CELL, MOST_COLUMNS, MOST_HEADING } from "../../table-cells/table-limits.ts";
import type { SheetTable } from "../../xlsx/workbook-tables.ts";
import {
  CsvProblem,
  detectBrowserCsvSeparator,
  parseBrowserCsvText,
  readBrowserCsvFile,
} from "../browser/browser-csv-file.ts";
import type { AppImportFile, TableRow } from "./app-import-file.ts";

/** Rows among which a row of names below a title is searched. */
const FIRST_ROWS = 20;
/** The most cells of a row with a title. A longer row may be that of the names, above one with too many cells. */
const MOST_OF_TITLE = 2;

/** Reads a CSV file with a heading; returns what is wrong with it if no API call could import it. */
export async function readAppCsvTable(
  file: Parameters<typeof readBrowserCsvFile>[0],
): Promise<AppImportFile | string> {
  try {
    const text = await readBrowserCsvFile(file);
    const separator = detectBrowserCsvSeparator(text);
    const rows = parseBrowserCsvText(text, separator).map((cells, at) => ({ number: at + 1, cells }));
    const table = tableOfRows(file.name, rows);
    return typeof table === "string" ? table : { ...table, separator };
  } catch (error) {
    if (error instanceof CsvProblem) return error.message;
    throw error;
  }
}

/** Returns a sheet of a workbook as a table, or what is wrong with it. `isOnly`: the workbook has no other with rows. */
export const appTableOfSheet = (
  file: string,
  { sheet, rows, notes }: SheetTable,
  isOnly: boolean,
): AppImportFile | string => {
  const table = tableOfRows(
    isOnly ? file : `${file}, sheet ${sheet}`,
    rows.map(({ row, cells }) => ({ number: row, cells })),
  );
  return typeof table === "string" ? table : { ...table, notes: [...notes, ...(table.notes ?? [])] };
};

function tableOfRows(name: string, all: readonly TableRow[]): AppImportFile | string {
  const filled = all.filter((row) => filledOf(row) > 0);
  const first = filled.slice(0, FIRST_ROWS);
  const most = Math.max(...first.map(filledOf));
  const isShort = (row: TableRow) => filledOf(row) * 2 < most;
  const found = first.findIndex((row) => filledOf(row) > MOST_OF_TITLE || !isShort(row));
  // Below a title are names. Above a record is its heading, however short: a comma in its text adds cells to the record.
  const above = found > 0 && hasNumbers(first[found]!) ? 0 : found;
  const [heading, ...rows] = filled.slice(Math.max(0, above));
  if (!heading || rows.length === 0)
    return `${name} has no rows below a first line with the names of the columns.`;
  if (isShort(heading))
    return `Row ${heading.number} names ${filledOf(heading)} of ${most} columns. Delete the rows above the names of the columns.`;
  const columns = heading.cells;
  if (columns.length > MOST_COLUMNS)
    return `${name} has ${columns.length} columns. Delete some: ${MOST_COLUMNS} are allowed.`;
  if (columns.some((column) => column.length > MOST_HEADING))
    return `Row ${heading.number} has the name of a column with more than ${MOST_HEADING} characters. Shorten it.`;
  for (const { number, cells } of rows) {
    const at = columns.findIndex((_, column) => (cells[column]?.length ?? 0) > MOST_CELL);
    if (at >= 0)
      return `Row ${number} has more than ${MOST_CELL} characters in the column ${columns[at]}. Shorten the text.`;
  }
  // Rows may be shorter or longer than the first line.
  const even = rows.map(({ number, cells }) => ({
    number,
    cells: columns.map((_, at) => cells[at] ?? ""),
  }));
  const beyond = rows.map(({ cells }) => cells.slice(columns.length).filter((cell) => cell.trim() !== ""));
  return {
    name,
    columns,
    rows: even,
    unnamed: beyond.reduce((sum, cells) => sum + cells.length, 0),
    ...(above > 0 && {
      notes: [`the names of the columns are in row ${heading.number}; those above are not read`],
    }),
  };
}

const hasNumbers = ({ cells }: TableRow) =>
  cells.some((cell) => !YEAR.test(cell) && /^[\s$€£(-]*\d[\d\s.,:/%-]*\)?$/.test(cell.slice(0, 50)));
/** Headings may be years. */
const YEAR = /^\s*(19|20)\d\d\s*$/;

const filledOf = ({ cells }: TableRow) => cells.filter((cell) => cell.trim() !== "").length;

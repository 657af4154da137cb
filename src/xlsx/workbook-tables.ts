import { type CellValue, readXlsx, type Sheet, type Workbook } from "hucre/xlsx";
import { OperatorError } from "../domain/errors.ts";
import { meteredWorkbookArchive, workbookArchiveEntries } from "./workbook-archive-size.ts";
import { workbookColumnName } from "./workbook-cell-references.ts";
import { MAX_COLUMN, workbookSheetArea } from "./workbook-sheet-area.ts";

/** A sheet as rows of texts, the heading first; `row` counts from 1 as spreadsheets do. */
export type SheetTable = { sheet: string; rows: { row: number; cells: string[] }[]; notes: string[] };

export const MAX_WORKBOOK_BYTES = 64 * 1_048_576;
/** A few kilobytes may expand to gigabytes. Reading takes eight times as much memory. */
export type WorkbookLimits = {
  maxRows: number;
  maxExpandedBytes: number;
  /** The styles of cells, which are read where some pad numbers, take four times as much memory as their values. */
  maxStyledCells: number;
};
const LIMITS: WorkbookLimits = {
  maxRows: 200_000,
  maxExpandedBytes: 256 * 1_048_576,
  maxStyledCells: 1_000_000,
};
/** The last row of a sheet. */
const MAX_ROW = 1_048_576;
/** The reader looks for each sheet among all relations of the workbook. */
const MAX_SHEETS = 1_000;
/** The most that a spreadsheet program lets a cell have, in characters. */
const MAX_CELL = 32_767;
/** One text may be in any number of cells, and each of them becomes text of its own. */
const MAX_CHARS = 256 * 1_048_576;
/** One cell in the last column makes its row as wide as the sheet can be. */
const MAX_CELLS = 20_000_000;
/** The first bytes of a file that a password protects. */
const ENCRYPTED = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Returns the sheets of a workbook that have rows; browsers call it, too. Dates become YYYY-MM-DD, a formula its stored
 * result, and a merged range its first cell. Numbers keep the zeros that a format such as 00000 pads them with, in workbooks of
 * up to a million cells; the notes of larger ones say so. Throws an OperatorError for a file that is protected, damaged or too large.
 */
export async function readWorkbookTables(
  name: string,
  bytes: Uint8Array,
  limits: Partial<WorkbookLimits> = {},
): Promise<SheetTable[]> {
  const { maxRows, maxExpandedBytes, maxStyledCells } = { ...LIMITS, ...limits };
  if (ENCRYPTED.every((byte, at) => bytes[at] === byte))
    throw new OperatorError(
      `${name} is protected by a password, or in the format of Excel 97`,
      "Save it as .xlsx without a password.",
    );
  const files = workbookArchiveEntries(bytes);
  const tooMuch = () => {
    throw tooLarge(name, `it expands to more than ${maxExpandedBytes / 1_048_576} MiB`);
  };
  const cells = new Map<number, number>();
  const widths = new Map<number, number>();
  const last = { row: 1, column: 1 };
  let cellsLeft = MAX_CELLS;
  let widthsLeft = MAX_CELLS;
  const archive = meteredWorkbookArchive(bytes, files, {
    mostBytes: maxExpandedBytes,
    onTooMuch: tooMuch,
    onFile(start) {
      cellsLeft -= cells.get(start) ?? 0;
      if (cellsLeft < 0)
        throw tooLarge(
          name,
          `its sheets span more than ${MAX_CELLS} cells, the blank ones before others included`,
        );
      widthsLeft -= widths.get(start) ?? 0;
      if (widthsLeft < 0) throw tooLarge(name, `its sheets set the widths of more than ${MAX_CELLS} columns`);
    },
  });
  let padsNumbers = false;
  let allCells = 0;
  let sheets = 0;
  for (const file of files) {
    const { rows, columns, ...area } = await workbookSheetArea(bytes, file);
    padsNumbers ||= area.padsNumbers;
    widths.set(file.start, area.widths);
    sheets += area.sheets;
    if (sheets > MAX_SHEETS) throw tooLarge(name, `it has more than ${MAX_SHEETS} sheets`);
    allCells += Math.max(1, rows) * columns;
    cells.set(file.start, Math.max(1, rows) * columns);
    last.row = Math.max(last.row, Math.min(rows, MAX_ROW));
    last.column = Math.max(last.column, Math.min(columns, MAX_COLUMN));
  }
  const range = `A1:${workbookColumnName(last.column - 1)}${last.row}`;
  const readStyles = padsNumbers && allCells <= maxStyledCells;
  if (readStyles) cellsLeft = maxStyledCells;
  let workbook: Workbook;
  try {
    workbook = await readXlsx(archive, { maxRows: maxRows + 2, range, readStyles });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${name} cannot be read as a workbook: ${error instanceof Error ? error.message.slice(0, 200) : "unknown format"}`,
      "Open it in a spreadsheet program and save it as .xlsx, or save the sheet as CSV.",
    );
  }
  const texts = { chars: 0 };
  return workbook.sheets
    .map((sheet) =>
      tableOf(name, sheet, { maxRows, texts, hasStyles: readStyles, losesZeros: padsNumbers && !readStyles }),
    )
    .filter(({ rows }) => rows.length > 0);
}

type TableOptions = {
  maxRows: number;
  /** Counts the characters of all sheets of a workbook. */
  texts: { chars: number };
  /** True if the cells of the sheet have their styles. */
  hasStyles: boolean;
  /** True if some numbers of the workbook are padded, and it is too large to read that. */
  losesZeros: boolean;
};

function tableOf(
  name: string,
  sheet: Sheet,
  { maxRows, texts, hasStyles, losesZeros }: TableOptions,
): SheetTable {
  if (sheet.rows.length > maxRows + 1)
    throw tooLarge(name, `sheet ${sheet.name} has more than ${maxRows} rows`);
  for (const [key, cell] of sheet.cells ?? [])
    if (cell.formula !== undefined && (cell.value === null || cell.value === undefined)) {
      const [row, column] = key.split(",").map(Number);
      throw new OperatorError(
        `${name}, sheet ${sheet.name}, cell ${workbookColumnName(column!)}${row! + 1}: the formula has no stored result`,
        "Open the file in a spreadsheet program and save it, or paste the values.",
      );
    }
  const formatAt = (row: number, column: number) =>
    hasStyles ? sheet.cells?.get(`${row},${column}`)?.style?.numFmt : undefined;
  const width = Math.max(0, ...sheet.rows.slice(0, 1).map((row) => row.length));
  const rows = sheet.rows.flatMap((given, index) => {
    const cells = given.map((value, column) =>
      typeof value === "number" ? numberText(value, formatAt(index, column)) : textOf(value),
    );
    for (const [column, { length }] of cells.entries()) {
      if (length > MAX_CELL)
        throw tooLarge(
          name,
          `sheet ${sheet.name}, cell ${workbookColumnName(column)}${index + 1} has ${length} characters`,
        );
      texts.chars += length;
    }
    if (texts.chars > MAX_CHARS)
      throw tooLarge(name, `its cells have more than ${MAX_CHARS / 1_048_576} MiB of text`);
    while (cells.length < width) cells.push("");
    return cells.every((cell) => cell.trim() === "") ? [] : [{ row: index + 1, cells }];
  });
  const merged = sheet.merges?.length ?? 0;
  return {
    sheet: sheet.name,
    rows,
    notes: [
      ...(merged > 0 ? [`sheet ${sheet.name}: of ${merged} merged ranges only the first cell is read`] : []),
      ...(losesZeros
        ? [
            `sheet ${sheet.name}: in a workbook this large, numbers are read without the zeros of formats such as 00000; save the sheet as CSV to keep them`,
          ]
        : []),
    ],
  };
}

/** Returns the text of a number. A format of zeros alone, such as that of ZIP codes, shows at least as many digits. */
function numberText(value: number, format = ""): string {
  const text = String(value);
  return /^0{2,255}$/.test(format) && /^\d+$/.test(text) ? text.padStart(format.length, "0") : text;
}

function textOf(value: CellValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString().slice(0, 10);
  return String(value);
}

const tooLarge = (name: string, problem: string) =>
  new OperatorError(`${name} is too large: ${problem}`, "Save the sheet as CSV, which is read row by row.");

export const tooLargeWorkbook = (name: string) =>
  tooLarge(name, `it has more than ${MAX_WORKBOOK_BYTES / 1_048_576} MiB`);

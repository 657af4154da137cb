import { readFileSync, statSync } from "node:fs";
import { type CellValue, readXlsx, type Sheet, type Workbook } from "hucre/xlsx";
import { OperatorError } from "../domain/errors.ts";
import { meteredArchive } from "./archive-size.ts";
import { columnName } from "./cell-references.ts";

/** A sheet as rows of texts, the heading first; `row` counts from 1 as spreadsheets do. */
export type SheetTable = { sheet: string; rows: { row: number; cells: string[] }[]; notes: string[] };

const MAX_BYTES = 64 * 1_048_576;
/** A few kilobytes may expand to gigabytes. Reading takes eight times as much memory. */
type Limits = { maxRows: number; maxExpandedBytes: number };
const LIMITS: Limits = { maxRows: 200_000, maxExpandedBytes: 256 * 1_048_576 };
/** The most that a spreadsheet program lets a cell have, in characters. */
const MAX_CELL = 32_767;
/** One text may stand in any number of cells, and each of them becomes text of its own. */
const MAX_CHARS = 256 * 1_048_576;
/** The first bytes of a file that a password protects. */
const ENCRYPTED = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

export const isWorkbook = (path: string): boolean => /\.xlsx$/i.test(path);

/**
 * Reads the sheets of a workbook that have rows. Dates become YYYY-MM-DD, a formula its stored result, and a merged range its
 * first cell. Throws an OperatorError for a file that is protected, damaged or too large.
 */
export async function readWorkbook(path: string, limits: Partial<Limits> = {}): Promise<SheetTable[]> {
  const { maxRows, maxExpandedBytes } = { ...LIMITS, ...limits };
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`file not found: ${path}`, "Check the path.");
  if (!status.isFile())
    throw new OperatorError(`${path} is not a regular file`, "Save its content to a file first.");
  if (status.size > MAX_BYTES) throw tooLarge(path, `it has more than ${MAX_BYTES / 1_048_576} MiB`);
  const bytes = readFileSync(path);
  if (bytes.subarray(0, 4).equals(ENCRYPTED))
    throw new OperatorError(
      `${path} is protected by a password, or in the format of Excel 97`,
      "Save it as .xlsx without a password.",
    );
  const archive = meteredArchive(bytes, maxExpandedBytes, () => {
    throw tooLarge(path, `it expands to more than ${maxExpandedBytes / 1_048_576} MiB`);
  });
  let workbook: Workbook;
  try {
    workbook = await readXlsx(archive, { maxRows: maxRows + 2 });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${path} cannot be read as a workbook: ${error instanceof Error ? error.message.slice(0, 200) : "unknown format"}`,
      "Open it in a spreadsheet program and save it as .xlsx, or save the sheet as CSV.",
    );
  }
  const texts = { chars: 0 };
  return workbook.sheets
    .map((sheet) => tableOf(path, sheet, maxRows, texts))
    .filter(({ rows }) => rows.length > 0);
}

/** `texts` counts the characters of all sheets of a workbook. */
function tableOf(path: string, sheet: Sheet, maxRows: number, texts: { chars: number }): SheetTable {
  if (sheet.rows.length > maxRows + 1)
    throw tooLarge(path, `sheet ${sheet.name} has more than ${maxRows} rows`);
  for (const [key, cell] of sheet.cells ?? [])
    if (cell.formula !== undefined && (cell.value === null || cell.value === undefined)) {
      const [row, column] = key.split(",").map(Number);
      throw new OperatorError(
        `${path}, sheet ${sheet.name}, cell ${columnName(column!)}${row! + 1}: the formula has no stored result`,
        "Open the file in a spreadsheet program and save it, or paste the values.",
      );
    }
  const width = Math.max(0, ...sheet.rows.slice(0, 1).map((row) => row.length));
  const rows = sheet.rows.flatMap((given, index) => {
    const cells = given.map(textOf);
    for (const [column, { length }] of cells.entries()) {
      if (length > MAX_CELL)
        throw tooLarge(
          path,
          `sheet ${sheet.name}, cell ${columnName(column)}${index + 1} has ${length} characters`,
        );
      texts.chars += length;
    }
    if (texts.chars > MAX_CHARS)
      throw tooLarge(path, `its cells have more than ${MAX_CHARS / 1_048_576} MiB of text`);
    while (cells.length < width) cells.push("");
    return cells.every((cell) => cell.trim() === "") ? [] : [{ row: index + 1, cells }];
  });
  const merged = sheet.merges?.length ?? 0;
  return {
    sheet: sheet.name,
    rows,
    notes: merged > 0 ? [`sheet ${sheet.name}: of ${merged} merged ranges only the first cell is read`] : [],
  };
}

function textOf(value: CellValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString().slice(0, 10);
  return String(value);
}

const tooLarge = (path: string, problem: string) =>
  new OperatorError(`${path} is too large: ${problem}`, "Save the sheet as CSV, which is read row by row.");

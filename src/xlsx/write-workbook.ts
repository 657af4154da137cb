import { type Cell, type CellValue, type WriteSheet, writeXlsx } from "hucre/xlsx";
import { currencyFormatWording } from "../domain/wording/currency-and-unit-wording.ts";

/**
 * A cell of a sheet. `format` is a number format of spreadsheets, such as `#,##0.00`. A formula has no leading equals sign, and
 * its value, for programs that show a file without computing it. Plain text never becomes a formula.
 */
export type SheetCell = CellValue | { value: CellValue; formula?: string; format?: string; isBold?: boolean };

export type WorkbookSheet = {
  name: string;
  /** `width` in characters; `format` applies to the cells without one. */
  columns: readonly { width: number; format?: string }[];
  rows: readonly (readonly SheetCell[])[];
  /** Rows at the top that remain visible. */
  frozenRows?: number;
  isLandscape?: boolean;
};

/** The format of amounts, which stands for that of the currency in use. */
export const AMOUNT = "amount";

/** The dates in a workbook, so that the same contents have the same bytes. */
const UNDATED = new Date(0);

/** Returns a workbook as the bytes of an XLSX file. Yields to the event loop but for one stretch: that of writing the cells. */
export async function writeWorkbook(
  sheets: readonly WorkbookSheet[],
  yieldNow: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  rehearsed ??= rehearse(yieldNow);
  await rehearsed;
  const written: WriteSheet[] = [];
  for (const sheet of sheets) {
    written.push(sheetOf(sheet));
    await yieldNow();
  }
  return await bytesOf(written);
}

async function bytesOf(sheets: WriteSheet[]): Promise<Uint8Array<ArrayBuffer>> {
  const properties = { creator: "Mainstay", created: UNDATED, modified: UNDATED };
  return new Uint8Array(await writeXlsx({ sheets, properties }));
}

/** Set once the first workbook of this process is asked for. */
let rehearsed: Promise<void> | undefined;
const REHEARSALS = 20;
const REHEARSED_ROWS = 10;

/**
 * Writes small workbooks and drops them. The library writes all cells in one go, at first four times as slowly as when its code
 * has been compiled: 80 ms for the largest form. Short stretches of it are compiled as well as a long one.
 */
async function rehearse(yieldNow: () => Promise<void>): Promise<void> {
  const cells = [{ value: "Item", isBold: true }, "Item", 1234.5, 7].flatMap((cell, column): SheetCell[] => [
    ...[cell, { value: 1, format: "0.0" }, null],
    ...["A", "B"].map((of) => ({ value: 1.5, formula: `SUM(${of}1:${of}${column + 2})`, format: "0.00" })),
  ]);
  const sheet: WorkbookSheet = {
    name: "Rehearsal",
    columns: cells.map(() => ({ width: 10, format: "0.00" })),
    rows: Array.from({ length: REHEARSED_ROWS }, () => cells),
    frozenRows: 1,
  };
  for (let nth = 0; nth < REHEARSALS; nth++) {
    await bytesOf([sheetOf(sheet)]);
    await yieldNow();
  }
}

function sheetOf({ name, columns, rows, frozenRows = 0, isLandscape = false }: WorkbookSheet): WriteSheet {
  const cells = new Map<string, Partial<Cell>>();
  const values = rows.map((row, rowIndex) =>
    row.map((cell, column) => {
      const { formula, format, isBold, ...entered } = isDetailed(cell) ? cell : plain(cell);
      const value = readable(entered.value);
      const given = format ?? (typeof value === "number" ? columns[column]?.format : undefined);
      const numFmt = given === AMOUNT ? currencyFormatWording() : given;
      const style = { ...(numFmt && { numFmt }), ...(isBold && { font: { bold: true } }) };
      if (formula !== undefined)
        cells.set(`${rowIndex},${column}`, { formula, formulaResult: value ?? undefined, style });
      else if (numFmt || isBold) cells.set(`${rowIndex},${column}`, { value, style });
      return value;
    }),
  );
  return {
    name,
    columns: columns.map(({ width }) => ({ width })),
    rows: values,
    cells,
    ...(frozenRows > 0 && { freezePane: { rows: frozenRows } }),
    pageSetup: {
      orientation: isLandscape ? "landscape" : "portrait",
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
    },
  };
}

type Detailed = { value: CellValue; formula?: string; format?: string; isBold?: boolean };

const plain = (value: CellValue): Detailed => ({ value });

/** The characters that no XML document has, which would make the file unreadable. */
const NOT_IN_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;
/** Spreadsheets read `_x003D_` as an escaped character; `_x005F_` escapes its underscore. */
const ESCAPE_LIKE = /_(?=x[\dA-Fa-f]{4}_)/g;

const readable = (value: CellValue): CellValue =>
  typeof value === "string"
    ? value.replaceAll(NOT_IN_XML, "\ufffd").replaceAll(ESCAPE_LIKE, "_x005F_")
    : value;

const isDetailed = (cell: SheetCell): cell is Detailed =>
  typeof cell === "object" && cell !== null && !(cell instanceof Date);

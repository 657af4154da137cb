import { type Cell, type CellValue, type WriteSheet, writeXlsx } from "hucre/xlsx";

/**
 * A cell of a sheet. `format` is a number format of spreadsheets, such as `#,##0.00`. A formula has no leading equals sign, and
 * its value, for programs that show a file without computing it. Plain text never becomes a formula.
 */
export type SheetCell = CellValue | { value: CellValue; formula?: string; format?: string; isBold?: boolean };

export type Sheet = {
  name: string;
  /** `width` in characters; `format` applies to the cells without one. */
  columns: readonly { width: number; format?: string }[];
  rows: readonly (readonly SheetCell[])[];
  /** Rows at the top that remain visible. */
  frozenRows?: number;
  isLandscape?: boolean;
};

/** The dates in a workbook, so that the same contents have the same bytes. */
const UNDATED = new Date(0);

/** Returns a workbook as the bytes of an XLSX file. */
export async function writeWorkbook(sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await writeXlsx({
    sheets: sheets.map(sheetOf),
    properties: { creator: "Mainstay", created: UNDATED, modified: UNDATED },
  });
  return new Uint8Array(bytes);
}

function sheetOf({ name, columns, rows, frozenRows = 0, isLandscape = false }: Sheet): WriteSheet {
  const cells = new Map<string, Partial<Cell>>();
  const values = rows.map((row, rowIndex) =>
    row.map((cell, column) => {
      const { formula, format, isBold, ...given } = isDetailed(cell) ? cell : plain(cell);
      const value = readable(given.value);
      const numFmt = format ?? (typeof value === "number" ? columns[column]?.format : undefined);
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

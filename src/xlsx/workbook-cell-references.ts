import { colToLetter } from "hucre/xlsx";

/** Returns the letters of a column: A for 0. */
export const workbookColumnName = (index: number): string => colToLetter(index);

/** Returns a range of a sheet, whose rows stay the same when the formula is copied. Rows are numbered from 1. */
export const workbookRangeReference = (
  sheet: string,
  column: string,
  firstRow: number,
  lastRow: number,
): string => `'${sheet.replaceAll("'", "''")}'!${column}$${firstRow}:${column}$${lastRow}`;

/** Returns a cell of a sheet. */
export const workbookCellReference = (sheet: string, column: string, row: number): string =>
  `'${sheet.replaceAll("'", "''")}'!${column}${row}`;

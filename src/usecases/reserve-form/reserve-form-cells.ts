import { AMOUNT, type SheetCell, type WorkbookSheet } from "../../xlsx/write-workbook.ts";

/* The cells of the reserve form, and where its sheets find each other. */

export const USD = AMOUNT;
export const PERCENT = "0.00%";
export const COUNT = "#,##0";
export const YEARS = "0.0";
export const SHARE = "0.000000";

/**
 * The cells of a workbook take about 4 µs each to write, in one go. Beyond this number, more items share a line, so that other
 * requests do not wait.
 */
export const MOST_CELLS = 9000;

/** The names of the sheets. */
export const SHEETS = {
  summary: "Summary",
  immediate: "Immediate repairs",
  short_term: "Short-term repairs",
  hazards: "Known hazards",
  reserves: "Replacement reserves",
  below: "Below the minimum",
  byYear: "Reserve by year",
  deposit: "Deposit",
  expected: "Expected",
  expectedBelow: "Expected below",
  properties: "Properties",
  bases: "Cost bases",
  assumptions: "Assumptions",
} as const;

export const reserveFormBoldCell = (value: string): SheetCell => ({ value, isBold: true });
export const reserveFormHeadingCells = (...names: string[]): SheetCell[] => names.map(reserveFormBoldCell);

type TableColumn = { name: string; width: number; format?: string };

/** Returns a sheet of columns with headings, which stay visible. */
export const reserveFormTableSheet = (
  name: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly SheetCell[])[],
): WorkbookSheet => ({
  name,
  isLandscape: true,
  frozenRows: 1,
  columns,
  rows: [reserveFormHeadingCells(...columns.map((column) => column.name)), ...rows],
});

/** Returns columns of money, but for those that have a format of their own. */
export const withReserveFormMoneyFormat = (columns: readonly TableColumn[]) =>
  columns.map((column) => ({ format: USD, ...column }));

/** Returns a cell with a formula and its value, for programs that show a workbook without computing it. */
export const reserveFormFormulaCell = (
  formula: string,
  value: number | null,
  format: string = USD,
  isBold = false,
): SheetCell => ({ formula, value, format, isBold });

/** The cells of the assumptions that formulas refer to. */
export const INPUTS = {
  units: "Assumptions!$B$4",
  inflation: "Assumptions!$B$8",
  interest: "Assumptions!$B$9",
  opening: "Assumptions!$B$10",
  minimumBalance: "Assumptions!$B$11",
  depositGrowth: "Assumptions!$B$12",
  escrow: "Assumptions!$B$13",
  includeBelow: "Assumptions!$B$15",
  deviate80: "Assumptions!$B$16",
  deviate95: "Assumptions!$B$17",
  errorOwn: "Assumptions!$B$18",
  errorOwnHistory: "Assumptions!$B$19",
  errorScaled: "Assumptions!$B$20",
  errorReference: "Assumptions!$B$21",
} as const;

/** The deposit of the first year that the balances use; a reader may change it. */
export const DEPOSIT_IN_USE = `${SHEETS.summary}!$B$23`;

/** Returns the row of a year on the sheets that have a row for each, below a heading. */
export const reserveFormRowOfYear = (year: number) => year + 1;

/** Turns a code into words: `own_history` into `own history`. */
export const reserveFormCodeInWords = (code: string) => code.replaceAll("_", " ");

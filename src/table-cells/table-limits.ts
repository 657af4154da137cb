/* The limits of a request that imports rows of a table, and the columns and words that mean something in one. */

export const MOST_ROWS = 200;
export const MOST_COLUMNS = 300;
/** In characters. */
export const MOST_CELL = 4_000;
/** In characters. */
export const MOST_HEADING = 1_000;

/** The words for what is left out of a table whose rows have cells without a heading. */
export const UNNAMED_CELLS = { column: "unnamed columns", reason: "no heading" } as const;

/** The fields whose words have a meaning that is guessed, unless a mapping has one: a word that means itself has none. */
export const GUESSED_WORD_FIELDS = ["type_id", "state"] as const;

/** The columns that files of rejected rows have after those of the original file. */
export const REJECT_COLUMNS = ["line", "error"] as const;

/** Returns whether the columns are those of a file of rejected rows. */
export const tableCellsHaveRejectColumns = (columns: readonly string[]): boolean =>
  REJECT_COLUMNS.every((name, at) => columns.at(at - REJECT_COLUMNS.length)?.trim() === name);

/** The signs that separate the cells of a CSV file. */
export const SEPARATORS = [",", ";", "\t", "|"] as const;
export type Separator = (typeof SEPARATORS)[number];

/** Programs that write a decimal comma separate cells by semicolons. */
export const tableCellsHaveDecimalComma = (separator: string | undefined): boolean => separator === ";";

/**
 * Returns what a table has for a text from a file. Without this, a text such as `constructor` would find what every object
 * inherits.
 */
export const lookUpImportValue = <T>(table: Readonly<Record<string, T>>, text: string): T | undefined =>
  Object.hasOwn(table, text) ? table[text] : undefined;

/** More items of one cell are no list of kinds. Many columns may read the same cell. */
const MOST_ITEMS = 100;

/** Returns the value of a cell, or of the first of its items separated by commas that has one. */
export function lookUpImportValueInList(
  values: Readonly<Record<string, string>>,
  cell: string,
): string | undefined {
  return (
    lookUpImportValue(values, cell) ??
    cell
      .split(",", MOST_ITEMS)
      .map((part) => lookUpImportValue(values, part.trim()))
      .find(Boolean)
  );
}

/**
 * Returns what a table has for a text from a file. Without this, a text such as `constructor` would find what every object
 * inherits.
 */
export const lookUpImportValue = <T>(table: Readonly<Record<string, T>>, text: string): T | undefined =>
  Object.hasOwn(table, text) ? table[text] : undefined;

/** More items of one cell are no list of kinds. Many columns may read the same cell. */
const MOST_ITEMS = 100;

/**
 * Returns the value of a cell, or of the first of its items separated by commas that has one. An item that is `known`, as a
 * type of equipment, precedes those with another value, such as a word that means itself.
 */
export function lookUpImportValueInList(
  values: Readonly<Record<string, string>>,
  cell: string,
  known: Pick<ReadonlySet<string>, "has">,
): string | undefined {
  const whole = lookUpImportValue(values, cell);
  if (whole !== undefined) return whole;
  const found = cell.split(",", MOST_ITEMS).flatMap((part) => lookUpImportValue(values, part.trim()) || []);
  return found.find((value) => known.has(value)) ?? found[0];
}

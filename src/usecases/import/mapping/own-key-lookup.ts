/**
 * Returns what a table has for a text from a file. Without this, a text such as `constructor` would find what every object
 * inherits.
 */
export const lookUpOwnKey = <T>(table: Readonly<Record<string, T>>, text: string): T | undefined =>
  Object.hasOwn(table, text) ? table[text] : undefined;

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/* The forms of texts that searches compare, as their indexes have them. */

/** A text with its ASCII letters in lower case, on every engine. */
export const lowerCaseSql = (text: SQLWrapper): SQL<string> => sql<string>`lower(${text})`;

/** An address without its house number, in lower case. */
export const streetWithoutNumberSql = (address: SQLWrapper): SQL<string> =>
  sql<string>`ltrim(lower(${address}), '0123456789-/ ')`;

/** The greatest character, which ends the range of texts that begin with another. */
export const LAST_CHARACTER = "\u{10FFFF}";

/** Returns a text in the form that columns are compared in. */
export const textInSearchedSqlForm = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

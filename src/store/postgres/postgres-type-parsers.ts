import pg from "pg";

const { builtins, getTypeParser } = pg.types;

/** Parses an int8, which the driver returns as text. Throws when a number can't represent it exactly. */
function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("a number from the database is larger than 2^53");
  return value;
}

/** Parses a numeric, the type of sums of int8. */
function parseNumeric(text: string): number {
  return /^-?\d+$/.test(text) ? parseInteger(text) : Number(text);
}

/** The parsers of column values. Days and instants are text and numbers: PostgreSQL's types for them are not used. */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: "text" | "binary") => {
    if (type === builtins.INT8) return parseInteger;
    if (type === builtins.NUMERIC) return parseNumeric;
    return getTypeParser(type, format as "text");
  }) as typeof getTypeParser,
};

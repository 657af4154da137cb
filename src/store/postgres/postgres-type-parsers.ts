import pg from "pg";

const { builtins, getTypeParser } = pg.types;

/**
 * The parsers of column values. An int8 or a sum of them, which the driver returns as text, is rounded above 2^53, as SQLite's
 * driver does: only sums of money are so large. Days and instants are text and numbers: PostgreSQL's types for them are not
 * used.
 */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: "text" | "binary") => {
    if (type === builtins.INT8 || type === builtins.NUMERIC) return Number;
    return getTypeParser(type, format as "text");
  }) as typeof getTypeParser,
};

import pg from "pg";

const { builtins, getTypeParser } = pg.types;

/** Whole numbers as numbers, which PostgreSQL's driver gives as text since they may be larger. */
function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("a number of the database is larger than 2^53");
  return value;
}

/** Sums of whole numbers come as numeric. */
function numeric(text: string): number {
  return /^-?\d+$/.test(text) ? whole(text) : Number(text);
}

/** How columns become values. Days and instants are text and numbers here: PostgreSQL's own types of them are not used. */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: "text" | "binary") => {
    if (type === builtins.INT8) return whole;
    if (type === builtins.NUMERIC) return numeric;
    return getTypeParser(type, format as "text");
  }) as typeof getTypeParser,
};

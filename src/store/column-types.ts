import type { sqliteColumnTypes } from "./sqlite/column-types.ts";

/**
 * The column types that the schema is written in: the few that every engine has. Typed as SQLite's; another engine's
 * kit has the same names and is cast to this in one place, and the schema and its queries are the same there.
 */
export type ColumnTypes = typeof sqliteColumnTypes;

import type { sqliteColumnTypes } from "./sqlite/sqlite-column-types.ts";

/**
 * The column types of the schema, which every engine has. They are typed as SQLite's; the types of another engine have
 * the same names and are cast to this in one place, so that the schema and its queries are the same for both.
 */
export type ColumnTypes = typeof sqliteColumnTypes;

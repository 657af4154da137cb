import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  integer,
  index as sqliteIndex,
  primaryKey as sqlitePrimaryKey,
  real as sqliteReal,
  sqliteTable,
  text as sqliteText,
  uniqueIndex as sqliteUniqueIndex,
} from "drizzle-orm/sqlite-core";

/*
 * The column types that the schema is written in: the few that SQLite and PostgreSQL both have. A second kit with
 * the same names over `drizzle-orm/pg-core` gives the same schema there.
 */
export const table = sqliteTable;
export const text = (name: string) => sqliteText(name);
/** Text of a closed set, typed as that union. */
export const oneOf = <const T extends readonly [string, ...string[]]>(name: string, values: T) =>
  sqliteText(name, { enum: values });
export const int = (name: string) => integer(name);
/** Instants (epoch milliseconds) and money (US cents), which 32 bits do not hold. */
export const bigint = (name: string) => integer(name);
export const real = (name: string) => sqliteReal(name);
export const bool = (name: string) => integer(name, { mode: "boolean" });
export const json = <T>(name: string) => sqliteText(name, { mode: "json" }).$type<T>();
export const index = sqliteIndex;
export const uniqueIndex = sqliteUniqueIndex;
export const primaryKey = sqlitePrimaryKey;

/** Whether the column's value is one of a JSON array bound to the placeholder: a list of any length in one statement. */
export const isAmong = (column: AnySQLiteColumn, placeholder: string) =>
  sql`${column} in (select value from json_each(${sql.placeholder(placeholder)}))`;

/** A slice of a list. Rows of one partner are numbered without gaps, so an offset is a number to start after. */
export type Slice = { limit: number; offset: number };

/** Makes a value at its first use: statements are prepared when a process first needs them, not all at its start. */
export function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

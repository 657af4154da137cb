import { type SQL, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** The column types of the schema for SQLite. */
export const sqliteColumnTypes = {
  table: sqliteTable,
  text: (name: string) => text(name),
  /** Text that is one of these values, typed as their union. */
  oneOf: <const T extends readonly [string, ...string[]]>(name: string, values: T) =>
    text(name, { enum: values }),
  int: (name: string) => integer(name),
  /** A primary key that the database assigns in rising order. */
  identity: (name: string) => integer(name).primaryKey(),
  /** Instants (epoch milliseconds) and money (US cents), which need more than 32 bits. */
  bigint: (name: string) => integer(name),
  real: (name: string) => real(name),
  bool: (name: string) => integer(name, { mode: "boolean" }),
  bytes: (name: string) => blob(name, { mode: "buffer" }),
  json: <T>(name: string) => text(name, { mode: "json" }).$type<T>(),
  index,
  uniqueIndex,
  primaryKey,
  /** The condition that a `bool` is true, as a literal: with a bound value a partial index would not be used. */
  isTrue: (column: AnySQLiteColumn): SQL => sql`${column} = 1`,
};

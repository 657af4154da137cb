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

/** The column types of the schema as SQLite has them. */
export const sqliteColumnTypes = {
  table: sqliteTable,
  text: (name: string) => text(name),
  /** Text of a closed set, typed as that union. */
  oneOf: <const T extends readonly [string, ...string[]]>(name: string, values: T) =>
    text(name, { enum: values }),
  int: (name: string) => integer(name),
  /** A primary key that the database numbers by itself, each row's greater than those before. */
  identity: (name: string) => integer(name).primaryKey(),
  /** Instants (epoch milliseconds) and money (US cents), which 32 bits do not hold. */
  bigint: (name: string) => integer(name),
  real: (name: string) => real(name),
  bool: (name: string) => integer(name, { mode: "boolean" }),
  bytes: (name: string) => blob(name, { mode: "buffer" }),
  json: <T>(name: string) => text(name, { mode: "json" }).$type<T>(),
  index,
  uniqueIndex,
  primaryKey,
  /** That a `bool` is true, as a literal: a bound value would keep a partial index from being used. */
  isTrue: (column: AnySQLiteColumn): SQL => sql`${column} = 1`,
};

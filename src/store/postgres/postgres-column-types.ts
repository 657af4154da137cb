import { type SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  pgTable,
  primaryKey,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { ColumnTypes } from "../store-column-types.ts";

/** Text that sorts by its bytes, as in SQLite: ids sort by creation whatever the locale of the database. */
const byteOrdered = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
/** JSON stored as text, as in SQLite, so that it is read exactly as it was written. */
const jsonText = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
});
const binary = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
/** Integers of 64 bits throughout, so that a search for a large number finds nothing and does not fail. */
const integer = (name: string) => bigint(name, { mode: "number" });

/** The column types of the schema for PostgreSQL: the one place where they are cast to SQLite's. */
export const postgresColumnTypes = {
  table: pgTable,
  text: (name: string) => byteOrdered(name),
  oneOf: (name: string) => byteOrdered(name),
  int: integer,
  bigint: integer,
  real: (name: string) => doublePrecision(name),
  bool: (name: string) => boolean(name),
  json: (name: string) => jsonText(name),
  bytes: (name: string) => binary(name),
  identity: (name: string) => bigint(name, { mode: "number" }).generatedByDefaultAsIdentity().primaryKey(),
  index,
  uniqueIndex,
  primaryKey,
  isTrue: (column: AnyPgColumn): SQL => sql`${column}`,
} as unknown as ColumnTypes;

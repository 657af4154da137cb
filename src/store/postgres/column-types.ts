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
import type { ColumnTypes } from "../column-types.ts";

/** Ordered by its bytes, as SQLite's text is: ids sort by creation, whatever the language of the database. */
const byteOrdered = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
/** In text, as in SQLite: what is read is exactly what was written. */
const jsonText = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
});
const binary = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
/** 64 bits also for what is small: a number that somebody asks for may be larger, and is then simply not found. */
const whole = (name: string) => bigint(name, { mode: "number" });

/** The column types of the schema as PostgreSQL has them: the one place where they are called SQLite's. */
export const postgresColumnTypes = {
  table: pgTable,
  text: (name: string) => byteOrdered(name),
  oneOf: (name: string) => byteOrdered(name),
  int: whole,
  bigint: whole,
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

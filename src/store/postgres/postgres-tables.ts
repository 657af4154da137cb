import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { defineStoreTables } from "../store-schema.ts";
import { postgresColumnTypes } from "./postgres-column-types.ts";

/** The tables of the schema, for PostgreSQL. */
export const tables = defineStoreTables(postgresColumnTypes);

/** Returns the names of all indexes, except those of keys. */
export const postgresSchemaIndexes = (): string[] =>
  Object.values(tables as unknown as Record<string, PgTable>).flatMap((table) =>
    getTableConfig(table).indexes.map((index) => index.config.name!),
  );

/** Returns the names of all tables and their columns. */
export function postgresSchemaTablesAndColumns(): { table: string; columns: string[] }[] {
  return Object.values(tables as unknown as Record<string, PgTable>).map((table) => {
    const { name, columns } = getTableConfig(table);
    return { table: name, columns: columns.map((column) => column.name) };
  });
}

import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { schemaOf } from "../schema.ts";
import { postgresColumnTypes } from "./column-types.ts";

/** The tables as PostgreSQL has them. */
export const tables = schemaOf(postgresColumnTypes);

/** The names of every table and its columns. */
export function expectedColumns(): { table: string; columns: string[] }[] {
  return Object.values(tables as unknown as Record<string, PgTable>).map((one) => {
    const { name, columns } = getTableConfig(one);
    return { table: name, columns: columns.map((column) => column.name) };
  });
}

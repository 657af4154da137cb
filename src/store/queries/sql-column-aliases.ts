import { type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

/** Selects columns under these names. */
export function aliasedSqlColumns<C extends Record<string, AnySQLiteColumn>>(columns: C) {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, sql`${column}`.as(name)]),
  ) as { [Name in keyof C]: SQL.Aliased };
}

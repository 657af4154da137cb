import type { Database } from "bun:sqlite";
import { is, Param, Placeholder, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db } from "../engine.ts";
import { lazy } from "../lazy.ts";

type Query = { toSQL(): { sql: string; params: unknown[] } };
type Values = Record<string, unknown>;

/*
 * Statements that a snapshot or an import runs for every component are run on bun:sqlite itself: the driver's own way
 * of executing a prepared query costs about as much again as SQLite's work. The queries are Drizzle's all the same.
 */

/** A write, run with its placeholders' values. Values are bound as they are: no column of it may need a conversion. */
export function hotWrite(db: Db, make: () => Query): (values: Values) => void {
  const statement = lazy(() => prepare(db, make()));
  return (values) => {
    const { run, bind } = statement();
    run.run(...bind(values));
  };
}

/** A read whose columns are `named`, so that bun:sqlite makes the rows itself. No column may need a conversion. */
export function hotRead<T>(db: Db, make: () => Query): (values: Values) => T[] {
  const statement = lazy(() => prepare(db, make()));
  return (values) => {
    const { run, bind } = statement();
    return run.all(...bind(values)) as T[];
  };
}

/** Whether the column's value is one of a JSON array bound to the placeholder: a list of any length in one statement. */
export const isAmong = (column: AnySQLiteColumn, placeholder: string) =>
  sql`${column} in (select value from json_each(${sql.placeholder(placeholder)}))`;

type Bindable = string | number | null;

function prepare(db: Db, query: Query) {
  const { sql, params } = query.toSQL();
  const sources = params.map((param) => {
    const value = is(param, Param) ? param.value : param;
    return is(value, Placeholder) ? { name: value.name as string } : { constant: value as Bindable };
  });
  const client = (db as unknown as { $client: Database }).$client;
  const bind = (values: Values) =>
    sources.map((source) => (source.name === undefined ? source.constant : values[source.name]) as Bindable);
  return { run: client.prepare<unknown, Bindable[]>(sql), bind };
}

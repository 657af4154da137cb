import type { Database } from "bun:sqlite";
import { is, Param, Placeholder } from "drizzle-orm";
import { lazy } from "./kit.ts";
import type { Db } from "./sqlite.ts";

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

/** A read of whole columns, by their names in the order of the select. */
export function hotRead<T>(
  db: Db,
  make: () => Query,
  names: readonly (keyof T & string)[],
): (values: Values) => T[] {
  const statement = lazy(() => prepare(db, make()));
  return (values) => {
    const { run, bind } = statement();
    const rows = run.values(...bind(values));
    const found = new Array<T>(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const cells = rows[i]!;
      const row: Values = {};
      for (let at = 0; at < names.length; at++) row[names[at]!] = cells[at];
      found[i] = row as T;
    }
    return found;
  };
}

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

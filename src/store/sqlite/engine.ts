import type { Database } from "bun:sqlite";
import { is, Param, Placeholder, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Db, Engine, Query, Values } from "../engine.ts";
import { lazy } from "../lazy.ts";
import { sqliteKit } from "./kit.ts";
import * as tables from "./schema.ts";

/**
 * Runs queries on a connection of bun:sqlite's. Statements that a snapshot or an import runs for every component are
 * run on it without Drizzle: the driver's own way of executing a prepared query costs about as much again as SQLite's
 * work. The queries are Drizzle's all the same.
 */
export function sqliteEngine(client: Database): Engine {
  const db: Db = drizzle(client);
  return {
    dialect: "sqlite",
    db,
    tables,
    read: <T>(make: () => Query) => {
      const statement = lazy(() => prepare(client, make()));
      return (values: Values) => {
        const { run, bind } = statement();
        return run.all(...bind(values)) as T[];
      };
    },
    write: (make) => {
      const statement = lazy(() => prepare(client, make()));
      return (values) => {
        const { run, bind } = statement();
        run.run(...bind(values));
      };
    },
    prepared: (make) => lazy(() => make().prepare()),
    isAmong: (column, placeholder) =>
      sql`${column} in (select value from json_each(${sql.placeholder(placeholder)}))`,
    list: (values) => JSON.stringify(values),
    isTrue: sqliteKit.isTrue,
    now: sql`cast(unixepoch('subsec') * 1000 as integer)`,
    // One connection writes, so none of its rows is held by another.
    skipLocked: sql``,
    bound: (value) => (value ? 1 : 0),
  };
}

type Bindable = string | number | null;

function prepare(client: Database, query: Query) {
  const { sql, params } = query.toSQL();
  const sources = params.map((param) => {
    const value = is(param, Param) ? param.value : param;
    return is(value, Placeholder) ? { name: value.name as string } : { constant: value as Bindable };
  });
  const bind = (values: Values) =>
    sources.map((source) => (source.name === undefined ? source.constant : values[source.name]) as Bindable);
  return { run: client.prepare<unknown, Bindable[]>(sql), bind };
}

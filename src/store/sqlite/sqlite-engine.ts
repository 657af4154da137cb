import type { Database } from "bun:sqlite";
import { and, eq, is, Param, Placeholder, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { lazySqlStatement } from "../lazy-sql-statement.ts";
import type { Db, Engine, Query } from "../store-engine.ts";
import {
  type InsertOptions,
  type RowValues,
  type RowWrite,
  type RowWrites,
  storeColumnsToInsert,
} from "../store-row-writes.ts";
import { sqliteColumnTypes } from "./sqlite-column-types.ts";
import * as tables from "./sqlite-tables.ts";

/**
 * Runs queries on a connection of bun:sqlite. Drizzle builds all queries, but statements that a snapshot or an import
 * runs for each component are executed without it, since its execution of a prepared query costs about as much as
 * SQLite's.
 */
export function sqliteEngine(client: Database): Engine {
  const db: Db = drizzle(client);
  const write = (make: () => Query): RowWrite => {
    const statement = lazySqlStatement(() => prepare(client, make()));
    return (values) => {
      const { run, bind } = statement();
      run.run(...bind(values));
    };
  };
  return {
    dialect: "sqlite",
    db,
    tables,
    read: <T>(make: () => Query) => {
      const statement = lazySqlStatement(() => prepare(client, make()));
      return (values: RowValues) => {
        const { run, bind } = statement();
        return run.all(...bind(values)) as T[];
      };
    },
    write,
    ...rowWrites(db, write),
    prepared: (make) => lazySqlStatement(() => make().prepare()),
    isAmong: (column, placeholder) =>
      sql`${column} in (select value from json_each(${sql.placeholder(placeholder)}))`,
    isAmongSelected: (column, values) => sql`${column} in ${values}`,
    list: (values) => JSON.stringify(values),
    isTrue: sqliteColumnTypes.isTrue,
    revisionOf: (number) => sql`cast(${number} as text)`,
    now: sql`cast(unixepoch('subsec') * 1000 as integer)`,
    // Only one connection writes, so that no row is locked by another transaction.
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
  const bind = (values: RowValues) =>
    sources.map((source) => (source.name === undefined ? source.constant : values[source.name]) as Bindable);
  return { run: client.prepare<unknown, Bindable[]>(sql), bind };
}

/** Runs a statement for each row, since there is no network round trip to save. */
function rowWrites(db: Db, write: (make: () => Query) => RowWrite): RowWrites {
  const { placeholder } = sql;
  const follows = (computed: InsertOptions["computed"] = {}) =>
    Object.entries(computed).map(([column, of]) => [column, of((name) => sql`${placeholder(name)}`)]);
  const columnsOf = (table: unknown) => table as Record<string, AnySQLiteColumn>;
  const among = (table: unknown, keys: readonly string[]) =>
    and(...keys.map((key) => eq(columnsOf(table)[key]!, placeholder(key))));
  const values = (columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, placeholder(column) as unknown as SQL]));
  return {
    insertRow: (table, columns, options = {}) =>
      write(() => {
        const insert = db.insert(table as SQLiteTable).values({
          ...values(storeColumnsToInsert(table, columns, options)),
          ...Object.fromEntries(follows(options.computed)),
        });
        if (!options.orSet) return options.unlessThere ? insert.onConflictDoNothing() : insert;
        const own = columnsOf(table);
        const { keys, columns: kept } = options.orSet;
        return insert.onConflictDoUpdate({
          target: keys.map((key) => own[key]!),
          set: Object.fromEntries(
            kept.map((name) => [name, sql`excluded.${sql.identifier(own[name]!.name)}`]),
          ),
        });
      }),
    setRow: (table, key, columns) =>
      write(() =>
        db
          .update(table as SQLiteTable)
          .set(Object.fromEntries(columns.map((column) => [column, sql`${placeholder(column)}`])))
          .where(among(table, [key])),
      ),
    addToRow: (table, keys, columns, { orInsert, computed = {} } = {}) =>
      write(() => {
        const own = columnsOf(table);
        const added = columns.map((column) => [column, sql`${own[column]} + ${placeholder(column)}`]);
        if (!orInsert)
          return db
            .update(table as SQLiteTable)
            .set(Object.fromEntries([...added, ...follows(computed)]))
            .where(among(table, keys));
        const sums = columns.map((column) => {
          const name = sql.identifier(own[column]!.name);
          return [column, sql`${own[column]} + excluded.${name}`];
        });
        return db
          .insert(table as SQLiteTable)
          .values(values([...keys, ...columns]))
          .onConflictDoUpdate({ target: keys.map((key) => own[key]!), set: Object.fromEntries(sums) });
      }),
  };
}

import { is, Param, Placeholder, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Db, Engine } from "../engine.ts";
import { lazy } from "../lazy.ts";
import { givenColumns, type RowWrite, type Values } from "../row-writes.ts";
import { tables } from "./schema.ts";
import { TYPE_PARSERS } from "./type-parsers.ts";
import { addStatement, insertStatement, type RowStatement, setStatement } from "./writer/row-statements.ts";

/** A statement as it is sent. One with a name is parsed once by each connection. */
export type Statement = {
  name?: string;
  text: string;
  values: unknown[];
  rowMode?: "array";
  types?: typeof TYPE_PARSERS;
};
export type Result = { rows: unknown[] };

/** What statements are run on: the readers' connections, or a transaction. */
export type Runner = {
  /** Resolves with its rows. */
  read(statement: Statement): Promise<Result>;
  /**
   * Sends a statement that has no rows to give. It may resolve before it was run: what is sent after it is run after
   * it, and its failure is the transaction's.
   */
  write(statement: Statement): Promise<void> | void;
};

type Query = { toSQL(): { sql: string; params: unknown[] } };
const NOTHING: Result = { rows: [] };
const WRITES = /^\s*(insert|update|delete)\b/i;
const RETURNS = /\breturning\b/i;

/** Keeps rows back that are written one by one. */
export type RowKeeper = { keep(statement: RowStatement, row: Values): void | Promise<void> };

/**
 * What queries need of PostgreSQL. `names`: whether statements are prepared by name; `keeper`: of a transaction, where
 * rows may be written.
 */
export function postgresEngine(runner: Runner, names: boolean, keeper?: RowKeeper): Engine {
  const isSet = new Map<unknown, Set<string>>();
  const rowWrite = (make: () => RowStatement): RowWrite => {
    const statement = lazy(make);
    return (values) => {
      if (!keeper) throw new Error("a read was to write");
      return keeper.keep(statement(), values);
    };
  };
  const prepare = (query: Query) => {
    const { sql: text, params } = query.toSQL();
    const sources = params.map((param) => {
      const value = is(param, Param) ? param.value : param;
      return is(value, Placeholder) ? { name: value.name as string } : { constant: value };
    });
    const named = names ? { name: nameOf(text), text } : { text };
    return (values: Values): Statement => ({
      ...named,
      types: TYPE_PARSERS,
      values: sources.map((source) =>
        sendable(source.name === undefined ? source.constant : values[source.name]),
      ),
    });
  };
  const client = {
    async query(query: Statement, values: unknown[] = []): Promise<Result> {
      const statement: Statement = { text: query.text, values: values.map(sendable), types: TYPE_PARSERS };
      if (query.name) statement.name = query.name;
      if (query.rowMode) statement.rowMode = query.rowMode;
      if (!WRITES.test(query.text) || RETURNS.test(query.text)) return await runner.read(statement);
      await runner.write(statement);
      return NOTHING;
    },
  };
  return {
    dialect: "postgres",
    db: drizzle(client as never) as unknown as Db,
    tables,
    read<T>(make: () => Query) {
      const statement = lazy(() => prepare(make()));
      return async (values: Values) => (await runner.read(statement()(values))).rows as T[];
    },
    write(make) {
      const statement = lazy(() => prepare(make()));
      return (values) => runner.write(statement()(values));
    },
    insertRow: (table, columns, options = {}) =>
      rowWrite(() => insertStatement(table, givenColumns(table, columns, options), options)),
    setRow: (table, key, columns) => {
      // Rows of two such statements may go in another order than they were written in.
      const [twice] = columns.filter((column) => isSet.has(table) && isSet.get(table)!.has(column));
      if (twice) throw new Error(`${twice} is set in two ways`);
      isSet.set(table, new Set([...(isSet.get(table) ?? []), ...columns]));
      return rowWrite(() => setStatement(table, key, columns));
    },
    addToRow: (table, keys, columns, options = {}) =>
      rowWrite(() => addStatement(table, keys, columns, options)),
    prepared(make) {
      return lazy(() => {
        const query = make() as unknown as Query & { prepare(name?: string): never };
        return query.prepare(names ? nameOf(query.toSQL().sql) : undefined);
      });
    },
    isAmong: (column, placeholder) => sql`${column} = any(${sql.placeholder(placeholder)})`,
    list: (values) => values,
    now: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    skipLocked: sql` for update skip locked`,
    isTrue: (column) => sql`${column as unknown as PgColumn}`,
    bound: (value) => value,
  };
}

/**
 * PostgreSQL's text takes no NUL, and no row has one: what is looked for by a text with it is not found. In its place
 * stands what is no character either.
 */
function sendable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFE") : value;
  return Array.isArray(value) ? value.map(sendable) : value;
}

/** What a statement is prepared as. */
export const nameOf = (text: string) => `mainstay_${Bun.hash(text).toString(36)}`;

import { is, Param, Placeholder, sql } from "drizzle-orm";
import { NodePgDatabase, NodePgDriver } from "drizzle-orm/node-postgres";
import type { PgColumn } from "drizzle-orm/pg-core";
import { lazySqlStatement } from "../lazy-sql-statement.ts";
import type { Db, Engine } from "../store-engine.ts";
import { type RowValues, type RowWrite, storeColumnsToInsert } from "../store-row-writes.ts";
import { REVISION_OF } from "./connection/postgres-server-runs.ts";
import {
  postgresStatementName,
  type Statement,
  type StatementResult,
  type StatementRunner,
} from "./postgres-statement.ts";
import { PostgresTableNamingDialect } from "./postgres-table-naming-dialect.ts";
import { tables } from "./postgres-tables.ts";
import { TYPE_PARSERS } from "./postgres-type-parsers.ts";
import {
  postgresAddToRowStatement,
  postgresInsertStatement,
  postgresUpdateStatement,
  type RowStatement,
} from "./writer/postgres-row-statements.ts";

type Query = { toSQL(): { sql: string; params: unknown[] } };
const dialect = new PostgresTableNamingDialect();
const NOTHING: StatementResult = { rows: [] };
const WRITES = /^\s*(insert|update|delete)\b/i;
const RETURNS = /\breturning\b/i;

/** Batches rows that are written one by one. */
type RowBatcher = { add(statement: RowStatement, row: RowValues): void | Promise<void> };

/**
 * Makes what queries need of PostgreSQL. `preparesStatements` has statements prepared by name; `batcher` belongs to a
 * transaction, and is missing where only reads are allowed.
 */
export function postgresEngine(
  runner: StatementRunner,
  preparesStatements: boolean,
  batcher?: RowBatcher,
): Engine {
  const isSet = new Map<unknown, Set<string>>();
  const rowWrite = (make: () => RowStatement): RowWrite => {
    const statement = lazySqlStatement(make);
    return (values) => {
      if (!batcher) throw new Error("a reader was asked to write");
      return batcher.add(statement(), values);
    };
  };
  const prepare = (query: Query) => {
    const { sql: text, params } = query.toSQL();
    const sources = params.map((param) => {
      const value = is(param, Param) ? param.value : param;
      return is(value, Placeholder) ? { name: value.name as string } : { constant: value };
    });
    const parts = { text, types: TYPE_PARSERS, tables: dialect.tablesOf(text) };
    const statement = preparesStatements ? { name: postgresStatementName(text), ...parts } : parts;
    return (values: RowValues): Statement => ({
      ...statement,
      values: sources.map((source) =>
        sendable(source.name === undefined ? source.constant : values[source.name]),
      ),
    });
  };
  const client = {
    async query(query: Statement, values: unknown[] = []): Promise<StatementResult> {
      const { text } = query;
      const tables = dialect.tablesOf(text);
      const statement: Statement = { text, values: values.map(sendable), types: TYPE_PARSERS, tables };
      if (query.name) statement.name = query.name;
      if (query.rowMode) statement.rowMode = query.rowMode;
      if (!WRITES.test(text) || RETURNS.test(text)) return await runner.read(statement);
      await runner.write(statement);
      return NOTHING;
    },
  };
  // As `drizzle()` makes it, with a dialect of our own.
  const session = new NodePgDriver(client as never, dialect).createSession(undefined);
  return {
    dialect: "postgres",
    db: new NodePgDatabase(dialect, session, undefined) as unknown as Db,
    tables,
    read<T>(make: () => Query) {
      const statement = lazySqlStatement(() => prepare(make()));
      return async (values: RowValues) => (await runner.read(statement()(values))).rows as T[];
    },
    write(make) {
      const statement = lazySqlStatement(() => prepare(make()));
      return (values) => runner.write(statement()(values));
    },
    insertRow: (table, columns, options = {}) =>
      rowWrite(() => postgresInsertStatement(table, storeColumnsToInsert(table, columns, options), options)),
    setRow: (table, key, columns) => {
      // Batches of two statements are not sent in the order in which their rows were written.
      const [twice] = columns.filter((column) => isSet.has(table) && isSet.get(table)!.has(column));
      if (twice) throw new Error(`two statements set ${twice}`);
      isSet.set(table, new Set([...(isSet.get(table) ?? []), ...columns]));
      return rowWrite(() => postgresUpdateStatement(table, key, columns));
    },
    addToRow: (table, keys, columns, options = {}) =>
      rowWrite(() => postgresAddToRowStatement(table, keys, columns, options)),
    prepared(make) {
      return lazySqlStatement(() => {
        const query = make() as unknown as Query & { prepare(name?: string): never };
        return query.prepare(preparesStatements ? postgresStatementName(query.toSQL().sql) : undefined);
      });
    },
    isAmong: (column, placeholder) => sql`${column} = any(${sql.placeholder(placeholder)})`,
    // PostgreSQL would read the whole table for a join with a query whose values are many.
    isAmongSelected: (column, values) => sql`${column} = any(array${values})`,
    list: (values) => values,
    revisionOf: (number) => sql`${sql.raw(REVISION_OF)}${number}`,
    // A cast alone would round up to a millisecond that has not begun.
    now: sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    skipLocked: sql` for update skip locked`,
    isTrue: (column) => sql`${column as unknown as PgColumn}`,
    bound: (value) => value,
  };
}

/**
 * Replaces NUL in a value. PostgreSQL rejects NUL in text, so no row has one, and a search for such a text finds
 * nothing. The replacement is a noncharacter, which no row has either.
 */
function sendable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFE") : value;
  return Array.isArray(value) ? value.map(sendable) : value;
}

import type { SQL, SQLWrapper } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { RowValues, RowWrites } from "./store-row-writes.ts";
import type { Tables } from "./store-schema.ts";

/**
 * The query builder, typed as SQLite's; another engine's is cast to it in one place. Queries are always awaited; `.all`,
 * `.get` and `.run` exist on SQLite alone.
 */
export type Db = BunSQLiteDatabase<Record<string, never>>;

/** A query that is built but not run. */
export type Query = { toSQL(): { sql: string; params: unknown[] } };
type Preparable<P> = { prepare(): P };

/** The access of queries to a database: a connection for reads, or that of a transaction. */
export type Engine = RowWrites & {
  /** For the rare query that one engine plans differently; each use says why. */
  dialect: "sqlite" | "postgres";
  db: Db;
  tables: Tables;
  /**
   * Makes a read on a hot path, prepared at its first use. Its columns are those of `aliasedSqlColumns`, and are returned as the
   * driver has them: none may be `json`. A `bool` that is read is converted with `Boolean`; one that is bound, with `bound`.
   */
  read<T>(make: () => Query): (values: RowValues) => T[] | Promise<T[]>;
  /** Makes a write on a hot path, with the same restrictions. */
  write(make: () => Query): (values: RowValues) => void | Promise<void>;
  /** Prepares any other frequent query at its first use; Drizzle converts its columns. */
  prepared<P>(make: () => Preparable<P>): () => P;
  /** The condition that the column's value is in the list that is bound to the placeholder with `list`. */
  isAmong(column: AnySQLiteColumn | SQL, placeholder: string): SQL;
  /** The condition that the column's value is one of a query's, each of which is looked up in the index of the column. */
  isAmongSelected(column: AnySQLiteColumn, values: SQLWrapper): SQL;
  /** Returns a list of any length in the form that `isAmong` needs. */
  list(values: readonly (string | number)[]): unknown;
  /** The condition that a `bool` is true, as a literal: with a bound value a partial index would not be used. */
  isTrue(column: AnySQLiteColumn): SQL;
  /** The revision that a number stands for: no other is the same, also if a failover of the database has lost the latest changes. */
  revisionOf(number: AnySQLiteColumn | SQL): SQL<string>;
  /** The database's clock, in epoch milliseconds, which all servers share. */
  now: SQL<number>;
  /** The end of a select in a transaction that skips rows locked by other transactions. */
  skipLocked: SQL;
  /** Returns a `bool` in the form that `read` and `write` need. */
  bound(value: boolean): unknown;
};

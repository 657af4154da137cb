import type { SQL } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { RowWrites, Values } from "./row-writes.ts";
import type { Tables } from "./schema.ts";

/**
 * What queries are built and run on, typed as SQLite's; another engine's is cast to it in one place. Always awaited;
 * never `.all`, `.get` or `.run`, which only SQLite has.
 */
export type Db = BunSQLiteDatabase<Record<string, never>>;

/** A query that was built and not run. */
export type Query = { toSQL(): { sql: string; params: unknown[] } };
type Preparable<P> = { prepare(): P };

/** What queries need of the database that they run on: a connection that reads, or the one of a transaction. */
export type Engine = RowWrites & {
  /** Only where one engine's planner must be told something; each use says why. */
  dialect: "sqlite" | "postgres";
  db: Db;
  tables: Tables;
  /**
   * A read on a hot path, prepared at its first use. Its columns are `named`, and come back as the driver has them:
   * no column of it may be a `bool` or `json`, nor may a value bound to it, but for a `bool` given by `bound`.
   */
  read<T>(make: () => Query): (values: Values) => T[] | Promise<T[]>;
  /** A write on a hot path. Values are bound as they are, as above. */
  write(make: () => Query): (values: Values) => void | Promise<void>;
  /** Any other query that is run often, prepared at its first use; Drizzle converts its columns. */
  prepared<P>(make: () => Preparable<P>): () => P;
  /** Whether the column's value is one of a list bound to the placeholder by `list`. */
  isAmong(column: AnySQLiteColumn | SQL, placeholder: string): SQL;
  /** A list of any length as `isAmong` wants it bound. */
  list(values: readonly (string | number)[]): unknown;
  /** That a `bool` is true, as a literal: a bound value would keep a partial index from being used. */
  isTrue(column: AnySQLiteColumn): SQL;
  /** The database's clock, in epoch milliseconds: the one that several servers agree on. */
  now: SQL<number>;
  /** At the end of a select within a write: rows that another transaction holds are passed over. */
  skipLocked: SQL;
  /** A `bool` as `read` and `write` want it bound. */
  bound(value: boolean): unknown;
};

import { getTableColumns, type SQL } from "drizzle-orm";
import type { Tables } from "./store-schema.ts";

/** The values of a statement's placeholders, by name. */
export type RowValues = Readonly<Record<string, unknown>>;

type Table = Tables[keyof Tables];
type Column<T extends Table> = keyof T["_"]["columns"] & string;

/**
 * Writes one row. Its values, by the names of the columns, are bound unconverted; the caller does not change them
 * later.
 */
export type RowWrite = (values: RowValues) => void | Promise<void>;

/** Columns that are computed from given ones. */
type Computed = Readonly<Record<string, (given: (column: string) => SQL) => SQL>>;

/** Options of an insert. */
export type InsertOptions = {
  computed?: Computed;
  /** Leaves an existing row with the same key unchanged. */
  unlessThere?: boolean;
  /** Sets columns of an existing row with the same key instead. No two rows of a transaction have the same key. */
  orSet?: { keys: readonly string[]; columns: readonly string[] };
};

/** Options of an addition to stored numbers. */
export type AddOptions =
  /** Inserts a row with the numbers if there is none with the keys. */
  { orInsert: true; computed?: never } | { orInsert?: never; computed?: Computed };

/**
 * Writes of single rows on a hot path. An engine may batch them, and send many in one statement before the commit and
 * before any statement that could read them; rows of referenced tables are sent first.
 */
export type RowWrites = {
  /** Makes a statement that inserts a row. */
  insertRow<T extends Table>(
    table: T,
    columns: readonly Column<T>[] | "all",
    options?: InsertOptions,
  ): RowWrite;
  /** Makes a statement that sets columns of the row with a key. No two statements set the same column of a table. */
  setRow<T extends Table>(table: T, key: Column<T>, columns: readonly Column<T>[]): RowWrite;
  /** Makes a statement that adds to numbers of the row with the keys. */
  addToRow<T extends Table>(
    table: T,
    keys: readonly Column<T>[],
    columns: readonly Column<T>[],
    options?: AddOptions,
  ): RowWrite;
};

/** Returns the columns of a table that an insert needs values for. */
export function storeColumnsToInsert(
  table: Table,
  columns: readonly string[] | "all",
  { computed = {} }: InsertOptions,
): readonly string[] {
  return columns === "all"
    ? Object.keys(getTableColumns(table)).filter((name) => !(name in computed))
    : columns;
}

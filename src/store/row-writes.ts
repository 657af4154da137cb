import { getTableColumns, type SQL } from "drizzle-orm";
import type { Tables } from "./schema.ts";

/** The values of a statement's placeholders, by their names. */
export type Values = Readonly<Record<string, unknown>>;

type Table = Tables[keyof Tables];
type Column<T extends Table> = keyof T["_"]["columns"] & string;

/** Writes one row. Its values are bound as they are, by the columns' names, and are not changed by the caller any more. */
export type RowWrite = (values: Values) => void | Promise<void>;

/** Columns that follow from given ones. */
type Computed = Readonly<Record<string, (given: (column: string) => SQL) => SQL>>;

export type InsertOptions = {
  computed?: Computed;
  /** Leaves a row of the same key as it is. */
  unlessThere?: boolean;
};

export type AddOptions =
  /** Makes a row of the numbers where there is none of the keys. */
  { orInsert: true; computed?: never } | { orInsert?: never; computed?: Computed };

/**
 * Writes of rows one by one on a hot path. An engine may keep them back and send many in one statement, before whatever
 * could see them and before the commit; where it does, rows of tables that others refer to go first.
 */
export type RowWrites = {
  insertRow<T extends Table>(
    table: T,
    columns: readonly Column<T>[] | "all",
    options?: InsertOptions,
  ): RowWrite;
  /** Gives the row of a key other values. No column is set in two ways within a table. */
  setRow<T extends Table>(table: T, key: Column<T>, columns: readonly Column<T>[]): RowWrite;
  /** Adds to the row's numbers. */
  addToRow<T extends Table>(
    table: T,
    keys: readonly Column<T>[],
    columns: readonly Column<T>[],
    options?: AddOptions,
  ): RowWrite;
};

/** The columns of a table that an insert is given. */
export function givenColumns(
  table: Table,
  columns: readonly string[] | "all",
  { computed = {} }: InsertOptions,
): readonly string[] {
  return columns === "all"
    ? Object.keys(getTableColumns(table)).filter((name) => !(name in computed))
    : columns;
}

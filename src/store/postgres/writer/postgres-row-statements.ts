import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, PgDialect, type PgTable } from "drizzle-orm/pg-core";
import type { AddOptions, InsertOptions, RowValues } from "../../store-row-writes.ts";
import { tables } from "../postgres-tables.ts";

/*
 * Statements that write any number of rows to one table. Their parameters are arrays, one for each column.
 */

/** A statement that writes any number of rows. */
export type RowStatement = {
  /** The order in which batches are sent: referenced tables first, and inserts before updates of the same table. */
  rank: number;
  table: string;
  text: string;
  /** The columns of the arrays. */
  columns: readonly { name: string; type: ArrayType }[];
  /** Rows with the same key are merged into one: the columns in `sums` are added up; without any, the last row wins. */
  merge?: { keys: readonly string[]; sums: readonly string[] };
};
type ArrayType = "text" | "bigint" | "float8" | "bool";

const ORDER = new Map(
  Object.values(tables as unknown as Record<string, PgTable>).map((table, at) => [table, at]),
);
const ARRAY_TYPES: Readonly<Record<string, ArrayType>> = {
  'text COLLATE "C"': "text",
  bigint: "bigint",
  "double precision": "float8",
  boolean: "bool",
};
const dialect = new PgDialect();
const identifier = (name: string) => sql.identifier(name);
const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);

/** Makes a statement that inserts rows. */
export function postgresInsertStatement(
  table: unknown,
  columns: readonly string[],
  { computed = {}, unlessThere = false, orSet }: InsertOptions,
): RowStatement {
  const target = tableOf(table);
  const computedColumns = Object.entries(computed);
  const into = [...columns, ...computedColumns.map(([column]) => column)];
  const values = [...columns.map(target.ofGiven), ...computedColumns.map(([, of]) => of(target.ofGiven))];
  const text = sql`insert into ${target.name} (${target.names(into)}) select ${list(values)} from ${target.given(columns)}`;
  if (!orSet) return target.statement(0, columns, unlessThere ? sql`${text} on conflict do nothing` : text);
  const names = orSet.columns.map((name) => identifier(target.column(name)));
  const set = list(names.map((name) => sql`${name} = excluded.${name}`));
  const update = sql`${text} on conflict (${target.names(orSet.keys)}) do update set ${set}`;
  return target.statement(0, columns, update);
}

/** Makes a statement that sets columns of the rows with given keys. */
export function postgresUpdateStatement(
  table: unknown,
  key: string,
  columns: readonly string[],
): RowStatement {
  const target = tableOf(table);
  const sets = columns.map((column) => {
    const name = identifier(target.column(column));
    return sql`${name} = given.${name}`;
  });
  const all = [key, ...columns];
  const text = sql`update ${target.name} set ${list(sets)} from ${target.given(all)} where ${target.isGiven([key])}`;
  return { ...target.statement(0.5, all, text), merge: { keys: [key], sums: [] } };
}

/** Makes a statement that adds to numbers of the rows with given keys. */
export function postgresAddToRowStatement(
  table: unknown,
  keys: readonly string[],
  columns: readonly string[],
  { orInsert, computed = {} }: AddOptions,
): RowStatement {
  const target = tableOf(table);
  const all = [...keys, ...columns];
  const computedColumns = Object.entries(computed).map(
    ([column, of]) => sql`${identifier(target.column(column))} = ${of(target.ofGiven)}`,
  );
  const sums = (other: string) =>
    list([
      ...columns.map((column) => {
        const name = identifier(target.column(column));
        return sql`${name} = ${target.name}.${name} + ${sql.raw(other)}.${name}`;
      }),
      ...computedColumns,
    ]);
  const given = target.given(all);
  const text = orInsert
    ? sql`insert into ${target.name} (${target.names(all)}) select * from ${given} on conflict (${target.names(keys)}) do update set ${sums("excluded")}`
    : sql`update ${target.name} set ${sums("given")} from ${given} where ${target.isGiven(keys)}`;
  return { ...target.statement(0.5, all, text), merge: { keys, sums: columns } };
}

/** Returns the statement's parameters for the rows: an array for each column, in PostgreSQL's array syntax. */
export function postgresArrayParameters(
  { columns, merge }: RowStatement,
  rows: readonly RowValues[],
): string[] {
  const merged = merge && rows.length > 1 ? mergeRows(rows, merge.keys, merge.sums) : rows;
  return columns.map(({ name, type }) => {
    const isText = type === "text";
    let text = "{";
    for (const row of merged) {
      const value = row[name];
      if (text.length > 1) text += ",";
      if (value === null || value === undefined) text += "NULL";
      else text += isText ? quoted(String(value)) : value;
    }
    return `${text}}`;
  });
}

/** Returns one row for each key: the last one, or the sums in the order of the keys. */
function mergeRows(
  rows: readonly RowValues[],
  keys: readonly string[],
  sums: readonly string[],
): RowValues[] {
  const byKey = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const key = keys.map((name) => row[name]).join("\n");
    const known = byKey.get(key);
    if (!known || sums.length === 0) byKey.set(key, sums.length === 0 ? (row as never) : { ...row });
    else for (const name of sums) known[name] = (known[name] as number) + (row[name] as number);
  }
  if (sums.length === 0) return [...byKey.values()];
  // Transactions lock these rows in the same order, so that they do not deadlock.
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

const quoted = (text: string) =>
  `"${/["\\\0]/.test(text) ? text.replaceAll("\0", "\uFFFE").replace(/["\\]/g, "\\$&") : text}"`;

function tableOf(table: unknown) {
  const of = table as PgTable;
  const { name } = getTableConfig(of);
  const columns = of as unknown as Record<string, { name: string; getSQLType(): string }>;
  const typeOf = (column: string): ArrayType => {
    const type = ARRAY_TYPES[columns[column]!.getSQLType()];
    if (!type) throw new Error(`${name}.${column} has a type that can't be sent in an array`);
    return type;
  };
  const column = (property: string) => columns[property]!.name;
  const names = (properties: readonly string[]) =>
    list(properties.map((property) => sql`${identifier(column(property))}`));
  return {
    name: identifier(name),
    column,
    names,
    ofGiven: (property: string) => sql`given.${identifier(column(property))}`,
    given: (properties: readonly string[]) => {
      const lists = properties.map((property, at) => sql.raw(`$${at + 1}::${typeOf(property)}[]`));
      return sql`unnest(${list(lists)}) as given (${names(properties)})`;
    },
    isGiven: (keys: readonly string[]) =>
      sql.join(
        keys.map(
          (key) => sql`${identifier(name)}.${identifier(column(key))} = given.${identifier(column(key))}`,
        ),
        sql` and `,
      ),
    statement: (order: number, properties: readonly string[], text: SQL): RowStatement => ({
      rank: ORDER.get(of)! + order,
      table: name,
      text: dialect.sqlToQuery(text).sql,
      columns: properties.map((property) => ({ name: property, type: typeOf(property) })),
    }),
  };
}

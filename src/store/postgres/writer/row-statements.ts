import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, PgDialect, type PgTable } from "drizzle-orm/pg-core";
import type { AddOptions, InsertOptions, Values } from "../../row-writes.ts";
import { tables } from "../schema.ts";

/*
 * What writes rows of one kind, however many, in one statement: its parameters are a list for each column.
 */

export type RowStatement = {
  /** The table's place in the schema, where what others refer to comes first; inserts before what changes rows. */
  rank: number;
  table: string;
  text: string;
  /** Names and types of the columns that are given. */
  columns: readonly { name: string; type: ArrayType }[];
  /** Of what adds up or is replaced: rows of the same key become one. */
  merge?: { keys: readonly string[]; sums: readonly string[] };
};
type ArrayType = "text" | "bigint" | "float8" | "bool";

const ORDER = new Map(
  Object.values(tables as unknown as Record<string, PgTable>).map((one, at) => [one, at]),
);
const ARRAY_TYPES: Readonly<Record<string, ArrayType>> = {
  'text COLLATE "C"': "text",
  bigint: "bigint",
  "double precision": "float8",
  boolean: "bool",
};
const dialect = new PgDialect();
const named = (name: string) => sql.identifier(name);
const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);

export function insertStatement(
  table: unknown,
  columns: readonly string[],
  { computed = {}, unlessThere = false }: InsertOptions,
): RowStatement {
  const own = tableOf(table);
  const follows = Object.entries(computed);
  const into = [...columns, ...follows.map(([column]) => column)];
  const values = [...columns.map(own.ofGiven), ...follows.map(([, of]) => of(own.ofGiven))];
  const text = sql`insert into ${own.name} (${own.names(into)}) select ${list(values)} from ${own.given(columns)}`;
  return own.statement(0, columns, unlessThere ? sql`${text} on conflict do nothing` : text);
}

export function setStatement(table: unknown, key: string, columns: readonly string[]): RowStatement {
  const own = tableOf(table);
  const sets = columns.map((column) => {
    const name = named(own.column(column));
    return sql`${name} = given.${name}`;
  });
  const all = [key, ...columns];
  const text = sql`update ${own.name} set ${list(sets)} from ${own.given(all)} where ${own.isGiven([key])}`;
  return { ...own.statement(0.5, all, text), merge: { keys: [key], sums: [] } };
}

export function addStatement(
  table: unknown,
  keys: readonly string[],
  columns: readonly string[],
  { orInsert, computed = {} }: AddOptions,
): RowStatement {
  const own = tableOf(table);
  const all = [...keys, ...columns];
  const follows = Object.entries(computed).map(
    ([column, of]) => sql`${named(own.column(column))} = ${of(own.ofGiven)}`,
  );
  const sums = (other: string) =>
    list([
      ...columns.map((column) => {
        const name = named(own.column(column));
        return sql`${name} = ${own.name}.${name} + ${sql.raw(other)}.${name}`;
      }),
      ...follows,
    ]);
  const given = own.given(all);
  const text = orInsert
    ? sql`insert into ${own.name} (${own.names(all)}) select * from ${given} on conflict (${own.names(keys)}) do update set ${sums("excluded")}`
    : sql`update ${own.name} set ${sums("given")} from ${given} where ${own.isGiven(keys)}`;
  return { ...own.statement(0.5, all, text), merge: { keys, sums: columns } };
}

/** The rows as the statement's parameters: a list for each column, as PostgreSQL writes it. */
export function columnArrays({ columns, merge }: RowStatement, rows: readonly Values[]): string[] {
  const own = merge && rows.length > 1 ? merged(rows, merge.keys, merge.sums) : rows;
  return columns.map(({ name, type }) => {
    const isText = type === "text";
    let text = "{";
    for (const row of own) {
      const value = row[name];
      if (text.length > 1) text += ",";
      if (value === null || value === undefined) text += "NULL";
      else text += isText ? quoted(String(value)) : value;
    }
    return `${text}}`;
  });
}

/** One row for each key, in the order of the keys: the last one's values, or the sums. */
function merged(rows: readonly Values[], keys: readonly string[], sums: readonly string[]): Values[] {
  const byKey = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const key = keys.map((name) => row[name]).join("\n");
    const known = byKey.get(key);
    if (!known || sums.length === 0) byKey.set(key, sums.length === 0 ? (row as never) : { ...row });
    else for (const name of sums) known[name] = (known[name] as number) + (row[name] as number);
  }
  if (sums.length === 0) return [...byKey.values()];
  // Whoever else adds to them waits for these rows in the same order.
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
    if (!type) throw new Error(`${name}.${column} is of a type that is not written in lists`);
    return type;
  };
  const column = (property: string) => columns[property]!.name;
  const names = (properties: readonly string[]) =>
    list(properties.map((property) => sql`${named(column(property))}`));
  return {
    name: named(name),
    column,
    names,
    ofGiven: (property: string) => sql`given.${named(column(property))}`,
    given: (properties: readonly string[]) => {
      const lists = properties.map((property, at) => sql.raw(`$${at + 1}::${typeOf(property)}[]`));
      return sql`unnest(${list(lists)}) as given (${names(properties)})`;
    },
    isGiven: (keys: readonly string[]) =>
      sql.join(
        keys.map((key) => sql`${named(name)}.${named(column(key))} = given.${named(column(key))}`),
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

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Column as DeclaredColumn, is, SQL } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.ts";
import * as schema from "../../src/store/sqlite/sqlite-tables.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-schema-"));
const file = join(folder, "mainstay.db");
openSqlite(file, { now: 0 }).close();
const db = new Database(file, { readonly: true });
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const declared = Object.values<unknown>(schema).flatMap((value) =>
  is(value, SQLiteTable) ? [getTableConfig(value)] : [],
);

type Column = { name: string; type: string; notnull: number; pk: number };
type Index = { name: string; unique: number; origin: string; partial: number };
const columnsOf = (table: string) =>
  db.query<Column, [string]>("SELECT * FROM pragma_table_info(?)").all(table);
const byName = <T extends { name: string }>(list: T[]) => list.sort((a, b) => a.name.localeCompare(b.name));

/** Returns the name of an index's column, also of a descending one; null for an expression of one. */
function nameOf(indexed: unknown): string | null {
  if (is(indexed, SQL) && JSON.stringify(indexed.queryChunks[0]).includes("(")) return null;
  const column = is(indexed, SQL) ? indexed.queryChunks.find((chunk) => is(chunk, DeclaredColumn)) : indexed;
  return (column as { name: string }).name;
}

test("the migrations create the tables of the schema, all of them STRICT", () => {
  const made = db
    .query<{ name: string; strict: number }, []>(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'",
    )
    .all()
    .filter(({ name }) => !name.startsWith("sqlite_"));
  expect(byName(made)).toEqual(
    byName([...declared, { name: "schema_migrations" }].map(({ name }) => ({ name, strict: 1 }))),
  );
});

test.each(declared.map((table) => [table.name, table] as const))(
  "the table %s has the schema's columns, keys and indexes",
  (name, table) => {
    const columns = columnsOf(name);
    expect(
      byName(
        columns.map(({ name, type, notnull }) => ({
          name,
          type: type.toLowerCase(),
          notnull: notnull === 1,
        })),
      ),
    ).toEqual(
      byName(
        table.columns.map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          notnull: column.notNull,
        })),
      ),
    );

    const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const declaredKeys = table.primaryKeys[0]?.columns ?? table.columns.filter((column) => column.primary);
    expect(keys.map((column) => column.name)).toEqual(declaredKeys.map((column) => column.name));

    const indexes = db
      .query<Index, [string]>("SELECT * FROM pragma_index_list(?)")
      .all(name)
      .filter(({ origin }) => origin === "c");
    const columnsOfIndex = (index: string) =>
      db
        .query<{ name: string | null }, [string]>("SELECT name FROM pragma_index_info(?)")
        .all(index)
        .map((row) => row.name);
    expect(
      byName(
        indexes.map((one) => ({
          name: one.name,
          unique: one.unique === 1,
          partial: one.partial === 1,
          columns: columnsOfIndex(one.name),
        })),
      ),
    ).toEqual(
      byName(
        table.indexes.map(({ config }) => ({
          name: config.name,
          unique: config.unique,
          partial: config.where !== undefined,
          columns: config.columns.map(nameOf),
        })),
      ),
    );

    const references = db
      .query<{ table: string; from: string }, [string]>(
        'SELECT "table", "from" FROM pragma_foreign_key_list(?)',
      )
      .all(name)
      .map(({ table, from }) => ({ name: from, table }));
    expect(byName(references)).toEqual(
      byName(
        table.foreignKeys.map((key) => {
          const { columns, foreignTable } = key.reference();
          return { name: columns[0]!.name, table: getTableConfig(foreignTable).name };
        }),
      ),
    );
  },
);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Column as DeclaredColumn, is, SQL } from "drizzle-orm";
import { getTableConfig, PgDialect, type PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { tables } from "../../../src/store/postgres/postgres-tables.ts";
import { connectTo, usePostgres } from "../../support/postgres.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let client: pg.Client;
afterAll(() => client.end());
const postgres = usePostgres();
beforeAll(async () => {
  const url = await postgres.newDatabase();
  await (await openPostgresStore(url, { clock: () => 0, random })).close();
  client = await connectTo(url);
});

const declared = Object.values(tables as unknown as Record<string, PgTable>).map(getTableConfig);
/** Tables and columns that only this engine has. */
const OWN_TABLES = ["schema_migrations", "write_groups"];
const OWN_COLUMNS: Record<string, string[]> = { partner_totals: ["last_delivery", "last_instant"] };
/** Indexes for finding the rows that refer to a deleted row. */
const OWN_INDEXES = ["photos_service_event", "sensor_events_component", "service_events_component"];

const ask = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await client.query(text, values)).rows as Row[];
const sorted = <T extends { name: string }>(list: T[]) => list.sort((a, b) => (a.name < b.name ? -1 : 1));
/** Returns a condition as PostgreSQL prints it, without quotes, brackets, casts and case. */
const plain = (condition: string) => condition.replace(/::\w+/g, "").replace(/[()"]/g, "").toLowerCase();
const dialect = new PgDialect();
const textOf = (part: SQL, table: string) =>
  plain(dialect.sqlToQuery(part.inlineParams()).sql.replaceAll(`"${table}".`, ""));

test("the migrations create the tables of the schema", async () => {
  const made = await ask<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  expect(sorted(made)).toEqual(
    sorted([...declared, ...OWN_TABLES.map((name) => ({ name }))].map(({ name }) => ({ name }))),
  );
});

test.each(declared.map((table) => [table.name, table] as const))(
  "the table %s has the schema's columns, keys and indexes",
  async (name, table) => {
    const columns = await ask<{ name: string; type: string; required: boolean }>(
      `SELECT attname AS name, attnotnull AS required,
         format_type(atttypid, atttypmod) || CASE WHEN collname = 'C' THEN ' COLLATE "C"' ELSE '' END AS type
       FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      name,
    );
    const own = OWN_COLUMNS[name] ?? [];
    expect(columns.map((column) => column.name)).toEqual(expect.arrayContaining(own));
    expect(sorted(columns.filter((column) => !own.includes(column.name)))).toEqual(
      sorted(
        table.columns.map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          required: column.notNull,
        })),
      ),
    );

    const indexes = await ask<{
      name: string;
      unique: boolean;
      key: boolean;
      columns: string;
      where: string | null;
    }>(
      `SELECT i.relname AS name, indisunique AS unique, indisprimary AS key,
         pg_get_expr(indpred, indrelid) AS where,
         (SELECT string_agg(pg_get_indexdef(indexrelid, n, true)
            || CASE WHEN indoption[n - 1] & 1 = 1 THEN ' desc' ELSE '' END, ',' ORDER BY n)
          FROM generate_series(1, indnkeyatts) AS n) AS columns
       FROM pg_index JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = $1::regclass`,
      name,
    );
    const keys = table.primaryKeys[0]?.columns ?? table.columns.filter((column) => column.primary);
    expect(indexes.find(({ key }) => key)?.columns).toBe(keys.map((column) => column.name).join(","));
    expect(
      sorted(
        indexes
          .filter((one) => !one.key && !OWN_INDEXES.includes(one.name))
          // PostgreSQL quotes its keywords.
          .map(({ key: _, ...one }) => ({
            ...one,
            columns: plain(one.columns),
            where: one.where && plain(one.where),
          })),
      ),
    ).toEqual(
      sorted(
        table.indexes.map(({ config }) => ({
          name: config.name!,
          unique: config.unique,
          columns: config.columns
            .map((column) => (is(column, SQL) ? textOf(column, name) : (column as DeclaredColumn).name))
            .join(","),
          where: config.where ? textOf(config.where, name) : null,
        })),
      ),
    );

    const references = await ask<{ name: string; table: string }>(
      `SELECT attname AS name, confrelid::regclass::text AS table FROM pg_constraint
       JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
       WHERE contype = 'f' AND conrelid = $1::regclass`,
      name,
    );
    expect(sorted(references)).toEqual(
      sorted(
        table.foreignKeys.map((key) => {
          const { columns, foreignTable } = key.reference();
          return { name: columns[0]!.name, table: getTableConfig(foreignTable).name };
        }),
      ),
    );
  },
);

test("rows of the audit log can't be changed or deleted", async () => {
  await client.query(
    "INSERT INTO audit_log (at, actor, action, subject, detail) VALUES (1, 'a', 'b', 'c', '{}')",
  );
  for (const change of ["UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"])
    await expect(client.query(change)).rejects.toThrow("the audit log is append-only");
});

test("text sorts by its bytes, as in SQLite", async () => {
  await client.query(
    "INSERT INTO administrators (id, name, key_hash, created_at) VALUES ('b', '', 'b', 1), ('B', '', 'B', 1), ('a', '', 'a', 1), ('é', '', 'é', 1)",
  );
  const rows = await ask<{ id: string }>("SELECT id FROM administrators ORDER BY id");
  expect(rows.map(({ id }) => id)).toEqual(["B", "a", "b", "é"]);
});

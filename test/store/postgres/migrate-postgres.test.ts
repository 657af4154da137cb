import { afterAll, expect, test } from "bun:test";
import { OperatorError } from "../../../src/domain/errors.ts";
import { POSTGRES_MIGRATIONS } from "../../../src/store/postgres/postgres-migrations.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { connectTo, directTo, rowsOf, usePostgres } from "../../support/postgres.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const stores: Store[] = [];
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
});
const postgres = usePostgres();

const open = async (url: string, options: Partial<PostgresStoreOptions> = {}) => {
  const store = await openPostgresStore(url, { clock: () => 1_700_000_000_000, random, ...options });
  stores.push(store);
  return store;
};
/** Returns the error of opening the store. */
async function refusal(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<OperatorError> {
  const error = await open(url, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return error as OperatorError;
}
const tablesOf = async (url: string) =>
  (await rowsOf(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).map(
    ({ name }) => name,
  );

test("one of several servers that start at once on an empty database creates the schema", async () => {
  const url = await postgres.newDatabase();
  const opened = await Promise.all(Array.from({ length: 6 }, () => open(url)));
  expect(opened.flatMap(({ applied }) => applied).map(({ number }) => number)).toEqual(
    POSTGRES_MIGRATIONS.map(({ number }) => number),
  );
  const ledger = await rowsOf(url, "SELECT number, applied_at FROM schema_migrations ORDER BY number");
  expect(ledger).toEqual(
    POSTGRES_MIGRATIONS.map(({ number }) => ({ number, applied_at: 1_700_000_000_000 })),
  );
  expect((await open(url)).applied).toEqual([]);
});

test("a migration that fails leaves nothing of those before it", async () => {
  const url = await postgres.newDatabase();
  const migrations = [
    ...POSTGRES_MIGRATIONS,
    { number: 99, name: "broken", sql: "CREATE TABLE one (id int); NONSENSE" },
  ];
  await expect(open(url, { migrations })).rejects.toThrow("syntax error");
  expect(await tablesOf(url)).toEqual(["schema_migrations"]);
  expect((await open(url)).applied).toHaveLength(POSTGRES_MIGRATIONS.length);
});

test("a newer schema is refused, and one with another text of a migration", async () => {
  const url = await postgres.newDatabase();
  const newer = [...POSTGRES_MIGRATIONS, { number: 99, name: "later", sql: "CREATE TABLE later (id int)" }];
  await open(url, { migrations: newer });
  expect((await refusal(url)).message).toContain(
    "was written by a newer version of Mainstay: it has migration 99 (later)",
  );
  const edited = newer.map((one) => ({ ...one, sql: `${one.sql} ` }));
  expect((await refusal(url, { migrations: edited })).message).toContain("has another text of migration 1");
});

test("another program's database is refused and not changed", async () => {
  const url = await postgres.newDatabase();
  await rowsOf(url, "CREATE TABLE invoices (id int)");
  const { message, hint } = await refusal(url);
  expect(message).toContain("belongs to another program: it has tables (invoices)");
  expect(hint).toContain("empty database");
  expect(await tablesOf(url)).toEqual(["invoices"]);
});

test("an incomplete schema is refused, and the error names what is missing", async () => {
  const url = await postgres.newDatabase();
  await open(url);
  await rowsOf(url, "DROP TABLE webhook_attempts; ALTER TABLE embeds DROP COLUMN views");
  const { message, hint } = await refusal(url);
  expect(message).toContain(
    "has only a part of Mainstay's schema: webhook_attempts, embeds.views are missing",
  );
  expect(hint).toContain("Restore it completely");
});

test("a schema with a lost or incomplete record of migrations is refused and not changed", async () => {
  const url = await postgres.newDatabase();
  await open(url);
  await rowsOf(url, "DELETE FROM schema_migrations WHERE number >= 3");
  const inPart = await refusal(url);
  expect(inPart.message).toContain(
    "does not match its record of migrations: migration 3 (unseen_properties) fails because",
  );
  expect(inPart.hint).toContain("Restore it completely");
  await rowsOf(url, "DELETE FROM schema_migrations");
  const { message, hint } = await refusal(url);
  expect(message).toContain("and an empty record of migrations");
  expect(hint).toContain("Restore it completely");
  expect(await rowsOf(url, "SELECT * FROM schema_migrations")).toEqual([]);
});

test("an incomplete schema with pending migrations is refused, and gets none of them", async () => {
  const url = await postgres.newDatabase();
  await open(url);
  await rowsOf(url, "DROP TABLE webhook_attempts; DELETE FROM schema_migrations WHERE number = 4");
  expect((await refusal(url)).message).toContain("webhook_attempts is missing");
  expect(await rowsOf(url, "SELECT * FROM schema_migrations WHERE number = 4")).toEqual([]);
});

/** Those before it are released, and do not change. */
const FIRST_CHECKED_MIGRATION = 38;

test("indexes are built before anything keeps the reads of older servers waiting", async () => {
  const client = await connectTo(await postgres.newDatabase());
  let builds = 0;
  for (const { number, name, sql, breaksOlder } of POSTGRES_MIGRATIONS) {
    if (number < FIRST_CHECKED_MIGRATION || breaksOlder) {
      await client.query(sql);
      continue;
    }
    const { rows: older } = await client.query("SELECT oid FROM pg_class WHERE relkind = 'r'");
    await client.query("BEGIN");
    for (const statement of sql.split(/;\s*$/m)) {
      await client.query(statement);
      if (!/\bCREATE (UNIQUE )?INDEX\b/.test(statement)) continue;
      builds++;
      const { rows: unreadable } = await client.query(
        `SELECT relation::regclass::text AS table FROM pg_locks
         WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relation = ANY ($1)`,
        [older.map(({ oid }) => oid)],
      );
      expect({ migration: name, unreadable }).toEqual({ migration: name, unreadable: [] });
    }
    await client.query("COMMIT");
  }
  await client.end();
  expect(builds).toBeGreaterThan(0);
});

test("an encoding other than UTF8 is refused", async () => {
  const url = await postgres.newDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
  expect((await refusal(url)).message).toContain("has the encoding LATIN1");
});

test("a read-only database is refused", async () => {
  const url = await postgres.newDatabase();
  const name = new URL(url).pathname.slice(1);
  await postgres.ask(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const { message, hint } = await refusal(url);
  expect(message).toContain("is read-only");
  expect(hint).toContain(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
});

test("a database with settings that change values is refused", async () => {
  const url = await postgres.newDatabase();
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of [
    ["array_nulls", "off"],
    ["extra_float_digits", "0"],
  ]) {
    await postgres.ask(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
    const { message, hint } = await refusal(url);
    expect(message).toContain(`${setting} = ${value}`);
    expect(hint).toContain(`ALTER DATABASE ${name} RESET ${setting}`);
    await postgres.ask(`ALTER DATABASE ${name} RESET ${setting}`);
  }
});

test("no second schema is created in another schema that comes first in the search path", async () => {
  const url = await postgres.newDatabase();
  await open(url);
  const { user } = (await rowsOf(url, "SELECT current_user AS user"))[0]!;
  await rowsOf(url, `CREATE SCHEMA "${user}"`);
  const { message, hint } = await refusal(url);
  expect(message).toContain('has its tables in the schema "public"');
  expect(message).toContain(`"${user}"`);
  expect(hint).toContain("search_path");
  expect(await rowsOf(url, `SELECT 1 FROM pg_tables WHERE schemaname = '${user}'`)).toEqual([]);
});

test("a user without the privilege to create tables gets an error", async () => {
  const url = new URL(directTo(await postgres.newDatabase()));
  const role = `reader_${process.pid}`;
  await postgres.ask(`CREATE ROLE ${role} LOGIN PASSWORD 'reads-only'`);
  url.username = role;
  url.password = "reads-only";
  expect((await refusal(url.href)).message).toContain(`the user ${role} lacks a privilege`);
});

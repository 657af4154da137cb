import type pg from "pg";
import { LEASE_MS } from "../../cluster/lease.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { olderSchemaError } from "../older-schema-error.ts";
import type { DatabaseAddress } from "./connection/postgres-address.ts";
import { postgresValueSettingError, VALUE_SETTING } from "./connection/postgres-value-settings.ts";
import type { PostgresMigration } from "./postgres-migrations.ts";
import { postgresSchemaIndexes, postgresSchemaTablesAndColumns } from "./postgres-tables.ts";

/** The oldest version that is tested, as `server_version_num`. */
const OLDEST = 150_000;

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number bigint NOT NULL PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at bigint NOT NULL
)`;

type LedgerRow = { number: string; name: string; sha256: string };

/** Throws an OperatorError if Mainstay can't use the database. Changes nothing. */
export async function requireUsableDatabase(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const { displayName, database, user } = address;
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       pg_encoding_to_char(encoding) AS encoding, pg_is_in_recovery() AS standby,
       current_setting('transaction_read_only') = 'on' AS readonly, current_schema() AS schema,
       ${VALUE_SETTING} AS value_setting
     FROM pg_database WHERE datname = current_database()`,
  );
  const { version, name, encoding, standby, readonly, schema, value_setting: setting } = rows[0];
  if (version < OLDEST)
    throw new OperatorError(
      `${displayName} runs PostgreSQL ${name}, which is too old`,
      `Mainstay needs PostgreSQL ${OLDEST / 10_000} or newer.`,
    );
  if (encoding !== "UTF8")
    throw new OperatorError(
      `${displayName} has the encoding ${encoding}, which can't store all characters`,
      `Create one with UTF8: CREATE DATABASE ${database}_utf8 OWNER ${user} ENCODING 'UTF8' TEMPLATE template0;`,
    );
  if (standby || readonly)
    throw new OperatorError(
      `${displayName} is ${standby ? "a standby" : "read-only"}`,
      standby
        ? "Point storage.url at the primary."
        : `Reset it: ALTER DATABASE ${database} RESET default_transaction_read_only; or ALTER ROLE for the user.`,
    );
  if (schema === null)
    throw new OperatorError(
      `${displayName} has no schema that the user can use`,
      `Grant access: GRANT USAGE, CREATE ON SCHEMA public TO …; or make the user the owner of the database.`,
    );
  if (setting !== null) throw postgresValueSettingError(setting, address);
}

/** The table that marks a database as the target of an unfinished move. */
export const UNFINISHED_MOVE = "unfinished_move";

/** The names of the schema's tables. */
export async function tablesOfPostgresSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns the schema that has Mainstay's tables, and the one in which new tables would be created before it, such as one
 * with the user's name; undefined if none has them.
 */
async function hiddenSchema(client: pg.Client): Promise<{ schema: string; first: string } | undefined> {
  const { rows } = await client.query<{ schema: string; first: string }>(
    `SELECT schemaname AS schema, current_schema() AS first FROM pg_tables
     WHERE tablename IN ('schema_migrations', 'components', 'partners') GROUP BY schemaname HAVING count(*) = 3 LIMIT 1`,
  );
  return rows[0];
}

/** The target of a move has the mark of an unfinished one, which the move itself has made. */
type MigrationOptions = { isMoveTarget?: boolean };

/**
 * Returns the migrations that the database lacks. Throws an OperatorError for a database of another program or a newer
 * version.
 */
export async function pendingPostgresMigrations(
  client: pg.Client,
  { displayName, database, user }: DatabaseAddress,
  migrations: readonly PostgresMigration[],
  { isMoveTarget = false }: MigrationOptions = {},
): Promise<readonly PostgresMigration[]> {
  const all = await tablesOfPostgresSchema(client);
  const tables = isMoveTarget ? all.filter((name) => name !== UNFINISHED_MOVE) : all;
  const hidden = tables.includes("schema_migrations") ? undefined : await hiddenSchema(client);
  if (hidden !== undefined)
    throw new OperatorError(
      `${displayName} has its tables in the schema "${hidden.schema}", but the search path of the user ${user} begins with "${hidden.first}"`,
      `If that is this installation, set it: ALTER ROLE ${user} IN DATABASE ${database} SET search_path TO "${hidden.schema}"; or rename the schema "${hidden.first}". Give another installation a database of its own.`,
    );
  if (tables.length === 0) return migrations;
  if (tables.includes(UNFINISHED_MOVE))
    throw new OperatorError(
      `${displayName} contains the remains of an interrupted move`,
      "Run `mainstay move --to … --again`, which deletes them. The source was not changed.",
    );
  if (!tables.includes("schema_migrations"))
    throw new OperatorError(
      `${displayName} belongs to another program: it has tables (${listed(tables)}) and no record of Mainstay's migrations`,
      "Set storage.url to an empty database.",
    );
  const { rows: applied } = await client.query<LedgerRow>(
    "SELECT number, name, sha256 FROM schema_migrations ORDER BY number",
  );
  // The first migration creates the record and the tables in one transaction.
  if (applied.length === 0 && tables.length > 1)
    throw new OperatorError(
      `${displayName} has only a part of Mainstay's schema: tables (${listed(tables)}) and an empty record of migrations`,
      RESTORE_COMPLETELY,
    );
  for (const row of applied) {
    const known = migrations.find(({ number }) => number === Number(row.number));
    if (!known)
      throw new OperatorError(
        `${displayName} was written by a newer version of Mainstay: it has migration ${row.number} (${row.name}), and this version knows ${migrations.length}`,
        "Run the newer version, or restore a backup from before the upgrade.",
      );
    if (checksum(known) !== row.sha256)
      throw new OperatorError(
        `${displayName} has another text of migration ${row.number} (${row.name}) than this version`,
        "Run the release that created the database. Released migrations never change.",
      );
  }
  return migrations.filter(({ number }) => !applied.some((row) => Number(row.number) === number));
}

/** Throws an OperatorError, with the hint, for a database without any migration. Changes nothing. */
export async function refuseEmptyPostgresDatabase(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly PostgresMigration[],
  hint: string,
): Promise<void> {
  if ((await pendingPostgresMigrations(client, address, migrations)).length === migrations.length)
    throw new OperatorError(`no installation found in ${address.displayName}: the database is empty`, hint);
}

/** Throws an OperatorError for a database that lacks migrations. Changes nothing. */
export async function refuseOlderSchema(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly PostgresMigration[],
): Promise<void> {
  const pending = await pendingPostgresMigrations(client, address, migrations);
  if (pending.length > 0) throw olderSchemaError(address.displayName, pending, migrations);
}

/**
 * Applies all pending migrations in one transaction, and returns them. The transaction locks the record of migrations,
 * so that only one of the servers that start at the same time applies them, and a migration that fails leaves nothing
 * behind.
 */
export async function applyPostgresMigrations(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly PostgresMigration[],
  now: Instant,
  options: MigrationOptions = {},
): Promise<readonly PostgresMigration[]> {
  const before = await pendingPostgresMigrations(client, address, migrations, options);
  if (before.length > 0) await makeLedger(client);
  await client.query("BEGIN");
  try {
    const pending = await lockedPending(client, address, migrations, options);
    if (pending.length < migrations.length && pending.some(({ breaksOlder }) => breaksOlder))
      await deregisterServers(client, address, pending);
    for (const migration of pending) {
      await applyMigration(client, address, migration);
      await client.query(
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)",
        [migration.number, migration.name, checksum(migration), now],
      );
    }
    await requireComplete(client, address);
    await client.query("COMMIT");
    return pending;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** SQLSTATEs of undefined and duplicate columns, tables and objects. */
const SCHEMA_MISMATCH = ["42703", "42P01", "42704", "42701", "42P07", "42710"];

async function applyMigration(
  client: pg.Client,
  { displayName }: DatabaseAddress,
  migration: PostgresMigration,
): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (!SCHEMA_MISMATCH.includes(code ?? "")) throw error;
    throw new OperatorError(
      `${displayName} does not match its record of migrations: migration ${migration.number} (${migration.name}) fails because ${message}`,
      RESTORE_COMPLETELY,
    );
  }
}

/** Returns the addresses and versions of the running servers, for people; undefined without any. */
export async function postgresRunningServersText(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ address: string; version: string }>(
    "SELECT address, version FROM servers WHERE seen_at > extract(epoch FROM clock_timestamp()) * 1000 - $1 ORDER BY 1",
    [LEASE_MS],
  );
  if (rows.length === 0) return undefined;
  return listed(rows.map(({ address, version }) => `${address} (${version})`));
}

/** Returns the owners and names of the locks that running commands hold, for people; undefined without any. */
async function runningCommands(client: pg.Client): Promise<string | undefined> {
  // The table is younger than the oldest schema that can be migrated.
  if (!(await tablesOfPostgresSchema(client)).includes("locks")) return undefined;
  await client.query("LOCK TABLE locks IN SHARE ROW EXCLUSIVE MODE");
  const { rows } = await client.query<{ owner: string; name: string }>(
    "SELECT owner, name FROM locks WHERE expires_at > extract(epoch FROM clock_timestamp()) * 1000 ORDER BY 2",
  );
  if (rows.length > 0) return listed(rows.map(({ owner, name }) => `${owner} (${name})`));
  await client.query("DELETE FROM locks");
  return undefined;
}

/**
 * Deletes the rows of all servers and locks, whose holders are incompatible with a pending migration: a server that was
 * suspended finds its row missing when it resumes, checks the record of migrations, and stops; a command can no longer
 * confirm its lock, and stops. Throws an OperatorError while a server or a command with a lock is running.
 */
async function deregisterServers(
  client: pg.Client,
  { displayName }: DatabaseAddress,
  pending: readonly PostgresMigration[],
): Promise<void> {
  // A server that is about to register is waited for, or waits for the record of migrations, which it checks next.
  await client.query("LOCK TABLE servers IN SHARE ROW EXCLUSIVE MODE");
  const alive = await postgresRunningServersText(client);
  const { number, name } = pending.find(({ breaksOlder }) => breaksOlder)!;
  if (alive !== undefined)
    throw new OperatorError(
      `${displayName} is in use by servers that are incompatible with migration ${number} (${name}): ${alive}`,
      "Stop all of them, then start this version. `mainstay servers` lists the running servers.",
    );
  const commands = await runningCommands(client);
  if (commands !== undefined)
    throw new OperatorError(
      `${displayName} is in use by commands that are incompatible with migration ${number} (${name}): ${commands}`,
      "Wait until they have finished, or stop them and wait for 15 seconds, then start this version.",
    );
  await client.query("DELETE FROM servers");
}

/**
 * Runs outside of the transaction: when several servers create the table at once, all but one of them fail and retry.
 */
async function makeLedger(client: pg.Client): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      await client.query(LEDGER);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (tries === 10 || !["23505", "42P07", "42710"].includes(code ?? "")) throw error;
    }
}

async function lockedPending(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly PostgresMigration[],
  options: MigrationOptions,
) {
  const pending = await pendingPostgresMigrations(client, address, migrations, options);
  if (pending.length === 0) return [];
  // Other servers wait here, and then find nothing pending.
  await client.query("LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE");
  return await pendingPostgresMigrations(client, address, migrations, options);
}

const RESTORE_COMPLETELY =
  "It was migrated or restored only in part. Restore it completely from a backup, or use an empty database.";

/** Throws an OperatorError for a database that has the record of migrations, but was restored only in part. */
async function requireComplete(client: pg.Client, { displayName }: DatabaseAddress): Promise<void> {
  const missing = await missingTablesAndColumns(client);
  if (missing !== undefined)
    throw new OperatorError(
      `${displayName} has only a part of Mainstay's schema: ${missing}`,
      RESTORE_COMPLETELY,
    );
}

/**
 * Returns the tables and columns that a database with every migration on record lacks, for people; undefined if none.
 */
export async function missingTablesAndColumns(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  const there = new Set(rows.flatMap(({ table, column }) => [table, `${table}.${column}`]));
  const missing = postgresSchemaTablesAndColumns().flatMap(({ table, columns }) =>
    there.has(table)
      ? columns.map((column) => `${table}.${column}`).filter((place) => !there.has(place))
      : [table],
  );
  return missing.length === 0
    ? undefined
    : `${listed(missing)} ${missing.length === 1 ? "is" : "are"} missing`;
}

/** Returns the names of the indexes that a complete schema lacks, or that are not valid, for people; undefined if none. */
export async function missingPostgresIndexes(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = current_schema()::regnamespace AND indisvalid`,
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = postgresSchemaIndexes().filter((name) => !there.has(name));
  return missing.length === 0 ? undefined : listed(missing);
}

function checksum(migration: PostgresMigration): string {
  return new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
}

function listed(names: readonly string[]): string {
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

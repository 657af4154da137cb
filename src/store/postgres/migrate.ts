import type pg from "pg";
import { LEASE_MS } from "../../cluster/lease.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { DatabaseAddress } from "./connection/address.ts";
import type { Migration } from "./migrations.ts";
import { expectedColumns } from "./schema.ts";

/** The oldest that is supported by its makers, and tried. */
const OLDEST = 150_000;

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number bigint NOT NULL PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at bigint NOT NULL
)`;

type LedgerRow = { number: string; name: string; sha256: string };

/** Throws an OperatorError where this cannot be a database of ours. Changes nothing. */
export async function requireUsable(
  client: pg.Client,
  { displayName, database, user }: DatabaseAddress,
): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       pg_encoding_to_char(encoding) AS encoding, pg_is_in_recovery() AS standby,
       current_setting('transaction_read_only') = 'on' AS readonly, current_schema() AS schema
     FROM pg_database WHERE datname = current_database()`,
  );
  const { version, name, encoding, standby, readonly, schema } = rows[0];
  if (version < OLDEST)
    throw new OperatorError(
      `${displayName} is PostgreSQL ${name}, which is too old`,
      `Mainstay needs PostgreSQL ${OLDEST / 10_000} or newer.`,
    );
  if (encoding !== "UTF8")
    throw new OperatorError(
      `${displayName} has the encoding ${encoding}, which cannot hold every name`,
      `Make another one, of UTF8: CREATE DATABASE ${database}_utf8 OWNER ${user} ENCODING 'UTF8' TEMPLATE template0;`,
    );
  if (standby || readonly)
    throw new OperatorError(
      `${displayName} takes no writes: it is ${standby ? "a standby" : "read-only"}`,
      standby
        ? "Point storage.url at the primary."
        : `End that: ALTER DATABASE ${database} RESET default_transaction_read_only; or that of the user.`,
    );
  if (schema === null)
    throw new OperatorError(
      `${displayName} has no schema that the user may use`,
      `Grant it one: GRANT USAGE, CREATE ON SCHEMA public TO …; or let the user own the database.`,
    );
}

/** A table that a database has while it is being moved to. */
export const UNFINISHED_MOVE = "unfinished_move";

/** The names of the schema's tables. */
export async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

/** The steps that the database still lacks. Throws an OperatorError when it is none of ours, or newer than this. */
export async function pendingMigrations(
  client: pg.Client,
  { displayName }: DatabaseAddress,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const tables = await tablesOf(client);
  if (tables.length === 0) return migrations;
  if (tables.includes(UNFINISHED_MOVE))
    throw new OperatorError(
      `${displayName} contains the remains of an interrupted move`,
      "Move again with `mainstay move --to … --again`, which throws that away. Where it came from nothing was changed.",
    );
  if (!tables.includes("schema_migrations"))
    throw new OperatorError(
      `${displayName} is in use by another program: it has tables (${some(tables)}), and no record of Mainstay's migrations`,
      "Name an empty database in storage.url.",
    );
  const { rows: applied } = await client.query<LedgerRow>(
    "SELECT number, name, sha256 FROM schema_migrations ORDER BY number",
  );
  // They come with the first step, in one transaction.
  if (applied.length === 0 && tables.length > 1)
    throw new OperatorError(
      `${displayName} has only a part of Mainstay's schema: tables (${some(tables)}), and no record of a step that made them`,
      RESTORE_WHOLE,
    );
  for (const row of applied) {
    const known = migrations.find(({ number }) => number === Number(row.number));
    if (!known)
      throw new OperatorError(
        `${displayName} was written by a newer version of Mainstay: it has migration ${row.number} (${row.name}), this version knows ${migrations.length}`,
        "Run the newer executable, or restore a backup made before the upgrade.",
      );
    if (checksum(known) !== row.sha256)
      throw new OperatorError(
        `${displayName} was made with another text of migration ${row.number} (${row.name}) than this executable holds`,
        "Run the release that made it; a migration is never edited after its release.",
      );
  }
  return migrations.filter(({ number }) => !applied.some((row) => Number(row.number) === number));
}

/** Throws an OperatorError, with the hint, for a database in which nothing was made yet. Changes nothing. */
export async function refuseEmpty(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly Migration[],
  hint: string,
): Promise<void> {
  if ((await pendingMigrations(client, address, migrations)).length === migrations.length)
    throw new OperatorError(
      `there is no installation in ${address.displayName}: the database is empty`,
      hint,
    );
}

/**
 * Applies what is pending, all in one transaction that holds the ledger, so that of any number of servers that start at
 * once one does so, and a step that fails leaves nothing behind. What was applied.
 */
export async function applyMigrations(
  client: pg.Client,
  address: DatabaseAddress,
  migrations: readonly Migration[],
  now: Instant,
): Promise<readonly Migration[]> {
  if ((await pendingMigrations(client, address, migrations)).length > 0) await makeLedger(client);
  await client.query("BEGIN");
  try {
    const pending = await lockedPending(client, address, migrations);
    if (pending.length < migrations.length && pending.some(({ breaksOlder }) => breaksOlder))
      await takeServersOut(client, address, pending);
    for (const migration of pending) {
      await step(client, address, migration);
      await client.query(
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)",
        [migration.number, migration.name, checksum(migration), now],
      );
    }
    await refuseGaps(client, address);
    await client.query("COMMIT");
    return pending;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Undefined or duplicate columns, tables and objects. */
const NOT_AS_RECORDED = ["42703", "42P01", "42704", "42701", "42P07", "42710"];

async function step(
  client: pg.Client,
  { displayName }: DatabaseAddress,
  migration: Migration,
): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (!NOT_AS_RECORDED.includes(code ?? "")) throw error;
    throw new OperatorError(
      `${displayName} is not as its record of steps says: step ${migration.number} (${migration.name}) finds that ${message}`,
      RESTORE_WHOLE,
    );
  }
}

/** The servers that were seen within a lease, in words; undefined when there is none. */
export async function serversAlive(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ address: string; version: string }>(
    "SELECT address, version FROM servers WHERE seen_at > extract(epoch FROM clock_timestamp()) * 1000 - $1 ORDER BY 1",
    [LEASE_MS],
  );
  if (rows.length === 0) return undefined;
  return some(rows.map(({ address, version }) => `${address} (${version})`));
}

/**
 * Takes out the servers that can't live with what is pending: one that was silent, and goes on after this, is not there
 * any more, looks at the ledger and stops. Throws an OperatorError while any of them is alive.
 */
async function takeServersOut(
  client: pg.Client,
  { displayName }: DatabaseAddress,
  pending: readonly Migration[],
): Promise<void> {
  // Whoever is about to say that it is there is waited for, or waits for the ledger that it looks at next.
  await client.query("LOCK TABLE servers IN SHARE ROW EXCLUSIVE MODE");
  const alive = await serversAlive(client);
  if (alive !== undefined) {
    const { number, name } = pending.find(({ breaksOlder }) => breaksOlder)!;
    throw new OperatorError(
      `${displayName} is in use by servers that can't live with migration ${number} (${name}): ${alive}`,
      "Stop all of them, and start this version then. `mainstay servers` lists who is alive.",
    );
  }
  await client.query("DELETE FROM servers");
}

/** In a transaction of its own: several may make it at once, of which all but one fail. */
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

async function lockedPending(client: pg.Client, address: DatabaseAddress, migrations: readonly Migration[]) {
  const pending = await pendingMigrations(client, address, migrations);
  if (pending.length === 0) return [];
  // Others wait here, and then see that all is done.
  await client.query("LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE");
  return await pendingMigrations(client, address, migrations);
}

const RESTORE_WHOLE =
  "It was migrated or restored in part: restore it whole from a backup, or name an empty database.";

/** A database that was restored in part has its ledger, and not all that this speaks of. */
async function refuseGaps(client: pg.Client, { displayName }: DatabaseAddress): Promise<void> {
  const gaps = await missingObjects(client);
  if (gaps !== undefined)
    throw new OperatorError(`${displayName} has only a part of Mainstay's schema: ${gaps}`, RESTORE_WHOLE);
}

/** What a database lacks in which every step is on record, in words; undefined when that is nothing. */
export async function missingObjects(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  const there = new Set(rows.flatMap(({ table, column }) => [table, `${table}.${column}`]));
  const missing = expectedColumns().flatMap(({ table, columns }) =>
    there.has(table)
      ? columns.map((column) => `${table}.${column}`).filter((place) => !there.has(place))
      : [table],
  );
  return missing.length === 0 ? undefined : `${some(missing)} ${missing.length === 1 ? "is" : "are"} missing`;
}

function checksum(migration: Migration): string {
  return new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
}

function some(names: readonly string[]): string {
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

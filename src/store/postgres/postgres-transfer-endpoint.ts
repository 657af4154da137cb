import type pg from "pg";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { TransferEndpoint } from "../database-transfer.ts";
import { type DatabaseAddress, parsePostgresUrl } from "./connection/postgres-address.ts";
import { PostgresConnections } from "./connection/postgres-connections.ts";
import {
  applyPostgresMigrations,
  pendingPostgresMigrations,
  postgresRunningServersText,
  refuseEmptyPostgresDatabase,
  requireUsableDatabase,
  tablesOfPostgresSchema,
  UNFINISHED_MOVE,
} from "./migrate-postgres.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { explainPostgresError } from "./postgres-errors.ts";
import { POSTGRES_MIGRATIONS } from "./postgres-migrations.ts";

/** A database as an endpoint of a transfer. */
type PostgresEndpoint = TransferEndpoint & { close(): Promise<void> };

/** Opens the source of a move: a complete database of this version that no server uses. */
export async function openPostgresTransferSource(url: string): Promise<PostgresEndpoint> {
  return await openEndpoint(url, async (client, address) => {
    await refuseEmptyPostgresDatabase(
      client,
      address,
      POSTGRES_MIGRATIONS,
      "Set storage.url to the database to move.",
    );
    const missing = await pendingPostgresMigrations(client, address, POSTGRES_MIGRATIONS);
    if (missing.length > 0)
      throw new OperatorError(
        `${address.displayName} lacks ${missing.length} migrations`,
        "Run `mainstay migrate` first.",
      );
    const alive = await postgresRunningServersText(client);
    if (alive !== undefined)
      throw new OperatorError(
        `${address.displayName} is in use by servers: ${alive}`,
        "Stop all of them first. A server that was killed counts for 15 seconds. `mainstay servers` lists the running servers.",
      );
  });
}

/**
 * Opens the target of a move: a database that is empty, or has the schema and no rows. It is marked as
 * unfinished until `finish`, and gets the schema. With `again`, the remains of an unfinished move are deleted first.
 */
export async function openPostgresTransferTarget(
  url: string,
  { now, again }: { now: Instant; again: boolean },
): Promise<PostgresEndpoint & { finish(): Promise<void> }> {
  const endpoint = await openEndpoint(url, async (client, address) => {
    const tables = await tablesOfPostgresSchema(client);
    if (again && tables.includes(UNFINISHED_MOVE)) await dropAll(client, tables);
    const pending = await pendingPostgresMigrations(client, address, POSTGRES_MIGRATIONS);
    if (pending.length < POSTGRES_MIGRATIONS.length) await requireNoRows(client, address);
    // Before the schema, with which a server would start.
    await client.query(`CREATE TABLE ${UNFINISHED_MOVE} (begun_at bigint NOT NULL)`);
    await applyPostgresMigrations(client, address, POSTGRES_MIGRATIONS, now, { isMoveTarget: true });
  });
  return { ...endpoint, finish: () => endpoint.run(`DROP TABLE ${UNFINISHED_MOVE}`) };
}

/** The tables that have rows in a new database. */
const FILLED_INITIALLY = ["schema_migrations", "clock", "model_in_use"];

async function requireNoRows(client: pg.Client, { displayName }: DatabaseAddress): Promise<void> {
  const tables = (await tablesOfPostgresSchema(client)).filter((name) => !FILLED_INITIALLY.includes(name));
  for (const name of tables) {
    const { rows } = await client.query(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
    if (rows.length > 0)
      throw new OperatorError(
        `${displayName} is not empty: ${name} has rows`,
        "Use an empty database: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0;",
      );
  }
}

type Prepare = (client: pg.Client, address: DatabaseAddress) => Promise<void>;

async function openEndpoint(
  url: string,
  prepare: Prepare,
): Promise<PostgresEndpoint & { run(sql: string): Promise<void> }> {
  const address = parsePostgresUrl(url);
  const connections = new PostgresConnections(address);
  const explained = async <T>(work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      throw explainPostgresError(error, address);
    }
  };
  try {
    const client = await connections.open();
    const run = async (sql: string, values: unknown[] = []) => {
      await explained(() => client.query(sql, values));
    };
    await explained(async () => {
      await requireUsableDatabase(client, address);
      await prepare(client, address);
    });
    const engine = postgresEngine(
      {
        read: (statement) => explained(() => client.query(statement as pg.QueryConfig)),
        write: async (statement) => {
          await explained(() => client.query(statement as pg.QueryConfig));
        },
      },
      address.preparesStatements,
    );
    return {
      name: address.displayName,
      engine,
      run,
      async transaction(work) {
        await run("BEGIN");
        try {
          const value = await work();
          await run("COMMIT");
          return value;
        } catch (error) {
          await run("ROLLBACK").catch(() => {});
          throw error;
        }
      },
      async lastInstant() {
        const { rows } = await client.query(
          "SELECT greatest((SELECT max(last_instant) FROM clock), (SELECT max(last_instant) FROM partner_totals)) AS last",
        );
        return Number(rows[0].last ?? 0);
      },
      async advancePast(instant) {
        await run("UPDATE clock SET last_instant = greatest(last_instant, $1)", [instant]);
        await advanceSequences(client);
      },
      close: () => connections.close(),
    };
  } catch (error) {
    await connections.close();
    throw explainPostgresError(error, address);
  }
}

/** Sets each identity sequence past the highest number, since rows inserted with a number do not advance it. */
async function advanceSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = current_schema() AND is_identity = 'YES'`,
  );
  for (const { table, column } of rows)
    await client.query(
      `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), max("${column}")) FROM "${table}" HAVING max("${column}") IS NOT NULL`,
    );
}

/** Drops all tables and routines in one transaction. */
async function dropAll(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query("BEGIN");
  await client.query(`DROP TABLE ${tables.map(quoted).join(", ")} CASCADE`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regprocedure::text AS name FROM pg_proc
     WHERE pronamespace = current_schema()::regnamespace AND proowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
       AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')`,
  );
  for (const { name } of rows) await client.query(`DROP ROUTINE ${name}`);
  await client.query("COMMIT");
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

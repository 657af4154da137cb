import type pg from "pg";
import type { Store, StoreOptions } from "../store.ts";
import { createStores } from "../stores.ts";
import { parsePostgresUrl } from "./connection/postgres-address.ts";
import { PostgresChangePoller } from "./connection/postgres-change-poller.ts";
import { PostgresConnections, type ReadTimeouts } from "./connection/postgres-connections.ts";
import { openPostgresReadSnapshot } from "./connection/postgres-read-snapshot.ts";
import {
  postgresWalArchivingOf,
  WAL_ARCHIVING,
  type WalArchivingRow,
} from "./diagnostics/postgres-wal-archiving.ts";
import {
  applyPostgresMigrations,
  refuseEmptyPostgresDatabase,
  refuseOlderSchema,
  requireUsableDatabase,
} from "./migrate-postgres.ts";
import { createPostgresDailyCallReservations } from "./postgres-daily-call-reservations.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { explainPostgresError } from "./postgres-errors.ts";
import { POSTGRES_MIGRATIONS, type PostgresMigration } from "./postgres-migrations.ts";
import { PostgresWriters } from "./writer/postgres-writers.ts";

/** Updates the statistics of the tables that an import fills. */
const ANALYZE = [
  "BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '60s'; ANALYZE properties, property_totals,",
  "property_plans, units, appliances, components, service_events, event_log; COMMIT",
].join(" ");
/** Longer than the statement's own limit. */
const ANALYZE_TIMEOUT_MS = 65_000;

/** Shorter than callers wait for a response: a read on a connection without answers is repeated on another one. */
const READS: ReadTimeouts = { repeatMs: 5_000, readMs: 15_000 };

/** Options for opening a store on PostgreSQL. */
export type PostgresStoreOptions = StoreOptions & {
  migrations?: readonly PostgresMigration[];
  /** The hint of the error for an empty database. Without it, an empty database gets the schema. */
  whenEmpty?: string | undefined;
  /** Set by tests alone. */
  readTimeouts?: ReadTimeouts;
  /** Refuses a database with an older schema, instead of migrating it. */
  requiresCurrentSchema?: boolean | undefined;
};

/**
 * Opens the database at an address (`storage.url`), and migrates it when needed. Rejects with an OperatorError when it
 * can't be used, and with `requiresCurrentSchema` also when it would have to be migrated.
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions): Promise<Store> {
  const address = parsePostgresUrl(url);
  const connections = new PostgresConnections(address, options.readTimeouts ?? READS);
  const { migrations = POSTGRES_MIGRATIONS, whenEmpty, requiresCurrentSchema } = options;
  try {
    const client = await connections.open();
    await requireUsableDatabase(client, address);
    if (whenEmpty !== undefined) await refuseEmptyPostgresDatabase(client, address, migrations, whenEmpty);
    if (requiresCurrentSchema) await refuseOlderSchema(client, address, migrations);
    const applied = await applyPostgresMigrations(client, address, migrations, options.clock());
    const process = Buffer.from(options.random(new Uint8Array(12))).toString("base64url");
    const poller = new PostgresChangePoller(connections, process);
    await poller.start(client);
    return assemble({ ...options, connections, applied, process, poller });
  } catch (error) {
    await connections.close();
    throw explainPostgresError(error, address);
  }
}

type Opened = StoreOptions & {
  connections: PostgresConnections;
  applied: readonly PostgresMigration[];
  /** The name of this process, unique among all processes on the database. */
  process: string;
  poller: PostgresChangePoller;
};

function assemble(opened: Opened): Store {
  const { connections, process, poller, applied } = opened;
  const { address } = connections;
  let onOutbox: ((partnerIds: ReadonlySet<string>) => void) | undefined;
  let onGroup: ((jobs: number, durationMs: number) => void) | undefined;
  const writers = new PostgresWriters({
    ...opened,
    onGroup: (jobs, durationMs) => onGroup?.(jobs, durationMs),
    onOutbox: (partnerIds) => onOutbox?.(partnerIds),
  });
  let isClosed = false;

  return {
    read: createStores(postgresEngine(connections.reader, address.preparesStatements)),
    async inReadSnapshot(run) {
      const snapshot = await openPostgresReadSnapshot(connections);
      try {
        return await run(createStores(postgresEngine(snapshot.runner, address.preparesStatements)));
      } finally {
        await snapshot.close();
      }
    },
    write: writers.write,
    msSinceFull: writers.msSinceFull,
    explain: (error) => explainPostgresError(error, address),
    isShared: true,
    budgetReservations: createPostgresDailyCallReservations(connections, process),
    dataVersion: () => poller.version,
    queueLength: () => writers.length,
    onGroup: (listener) => {
      onGroup = listener;
    },
    onOutbox: (listener) => {
      onOutbox = listener;
    },
    async analyze() {
      if (isClosed) return;
      // A failure only leaves queries slower.
      await analyze(connections).catch(() => {});
    },
    async sizes() {
      const { rows } = await connections.reader.read({
        text: "SELECT pg_database_size(current_database())::float8 AS bytes",
        values: [],
      });
      return { databaseBytes: (rows[0] as { bytes: number }).bytes, logBytes: 0 };
    },
    async walArchiving() {
      const { rows } = await connections.reader.read({ text: WAL_ARCHIVING, values: [] });
      return postgresWalArchivingOf(rows as WalArchivingRow[]);
    },
    schemaVersion: POSTGRES_MIGRATIONS.at(-1)!.number,
    applied,
    async close() {
      isClosed = true;
      // A commit that hangs is not waited for, since its callers were answered after the commit timeout.
      await writers.close();
      await poller.end();
      await connections.close();
    },
  };
}

async function analyze(connections: PostgresConnections): Promise<void> {
  const client = await connections.open();
  try {
    await client.query({ text: ANALYZE, query_timeout: ANALYZE_TIMEOUT_MS } as pg.QueryConfig);
  } finally {
    await connections.end(client);
  }
}

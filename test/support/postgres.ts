import { afterAll, describe, expect, type Mock, test } from "bun:test";
import type pg from "pg";
import { eventually } from "./eventually.ts";
import { PostgresServer, SHARED_POOLER, SHARED_SERVER, STORAGE, TEMPLATE } from "./postgres-server.ts";

/** Loads the driver at its first use: it takes as much processor time as the rest of many test files' imports. */
const driver = () => require("pg") as typeof pg;

export const onPostgres = process.env[STORAGE] === "postgres";

const nothing = Object.assign(() => {}, { each: () => () => {} }) as never;
/** A test of what exists only where the data is in a file; skipped on PostgreSQL. */
export const testOnSqlite: typeof test = onPostgres ? nothing : test;
export const describeOnSqlite: typeof describe = onPostgres ? nothing : describe;

/**
 * Returns a quarter of the runs on PostgreSQL, where a rule that is the same on every engine costs several times as
 * much.
 */
export const runsOnEngine = (runs: number) => (onPostgres ? Math.ceil(runs / 4) : runs);

const pooler = process.env[SHARED_POOLER];

/** Returns the address of a database on the server itself, not through its PgBouncer, which knows one user. */
export function directTo(url: string): string {
  const direct = new URL(url);
  if (direct.host === pooler) direct.host = new URL(process.env[SHARED_SERVER]!).host;
  return direct.href;
}

/** Returns the address without the tests' long `connect_timeout`. */
export function withDefaultTimeout(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete("connect_timeout");
  return parsed.href;
}

/** Opens an administrator's connection to the server itself. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new (driver().Client)(directTo(url));
  // The connection ends with its database or its server.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Returns whether a store sends the statement on its own, by a timer or for a new connection: at any moment. */
export const isOfNoCaller = (text: string) => /pg_is_in_recovery\(\)|DELETE FROM write_groups/.test(text);

/** Returns the texts that a spy on the `query` of all clients has seen, without those that belong to no caller. */
export const textsSent = (query: Mock<typeof pg.Client.prototype.query>) =>
  query.mock.calls
    .map(([one]) => (one as { text?: string }).text ?? String(one))
    .filter((text) => !isOfNoCaller(text));

/** Runs SQL on its own connection; returns the rows. */
export async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connectTo(url);
  try {
    return (await client.query({ text, types: TYPES })).rows;
  } finally {
    await client.end();
  }
}

/** Returns a pool of connections to the server itself, for tests with many statements: a new one costs more than most. */
export function poolOn(url: string) {
  const pool = new (driver().Pool)({ connectionString: directTo(url) });
  // The connections end with their database or their server.
  pool.on("error", () => {});
  return {
    /** Runs SQL on any connection; returns the rows. */
    rows: async (text: string): Promise<Record<string, unknown>[]> =>
      (await pool.query({ text, types: TYPES })).rows,
    close: () => pool.end(),
  };
}

/** Resolves once a session waits for a lock on a whole table. */
export async function tableLockAwaited(url: string, table: string): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await eventually(async () => expect(await rowsOf(url, waiting)).not.toEqual([]));
}

/** Returns all rows of a database as text, to search it for secrets. */
export async function textOfDatabase(url: string): Promise<string> {
  const client = await connectTo(url);
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      texts.push(...rows.map(({ row }) => row));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}

/** Returns the address of a database, as in `storage.url`: through the server's PgBouncer where it has one. */
function addressOn(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  // A busy machine is not a database that is away.
  url.search = "?connect_timeout=20";
  if (pooler !== undefined && serverUrl === process.env[SHARED_SERVER]) {
    url.host = pooler;
    url.search += "&prepared=false";
  }
  return url.href;
}

/** Returns how to create a copy of a database: file by file takes half the processor time of the default, block by block. */
const copying = (template: string) => `TEMPLATE ${template} STRATEGY FILE_COPY`;

const newName = () => `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;

/** Parses integers as numbers. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: "text") => {
    const { types } = driver();
    const isNumber = [types.builtins.INT8, types.builtins.NUMERIC].includes(type);
    return isNumber ? Number : types.getTypeParser(type, format);
  }) as typeof pg.types.getTypeParser,
};

/** A database that is being created. */
export type ReservedDatabase = {
  name: string;
  /** The database's URL, in the form of `storage.url`. */
  url: string;
  isMade: Promise<void>;
  /** Replaces another database by a copy of it; the connections to both are closed. */
  copyTo(other: ReservedDatabase): Promise<void>;
};

/**
 * Creates databases on the PostgreSQL server of the run, or on one of this file. Call it at the file's top; everything
 * is removed after the file's tests.
 */
export function usePostgres() {
  let own: Promise<PostgresServer> | undefined;
  let administrator: Promise<pg.Client> | undefined;
  const names: string[] = [];
  const shared = process.env[SHARED_SERVER];
  const server = async () => {
    own ??= PostgresServer.start();
    return await own;
  };
  const addressOf = async (database: string) => addressOn(shared ?? (await server()).url(), database);
  let asked = Promise.resolve();
  // One after another, as the driver requires on a shared connection.
  const ask = (text: string) => {
    const answered = asked.then(async () => {
      administrator ??= addressOf("postgres").then(connectTo);
      await (await administrator).query(text);
    });
    asked = answered.catch(() => {});
    return answered;
  };
  afterAll(async () => {
    if (shared) for (const name of names) await ask(`DROP DATABASE ${name} WITH (FORCE)`);
    await (await administrator)?.end().catch(() => {});
    await (await own)?.end();
  });
  const create = async (name: string, options = "") => {
    await ask(`CREATE DATABASE ${name} ${options}`);
    names.push(name);
  };
  const newDatabase = async (options = "") => {
    const name = newName();
    await create(name, options);
    return await addressOf(name);
  };
  /** Closes its connections: only a database without any can be copied. */
  const disconnect = (name: string) =>
    ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  return {
    /** Creates an empty database; returns its address, as in `storage.url`. */
    newDatabase,
    /** Creates a database with the schema where the run has one to copy, and otherwise an empty one. */
    newInstallation: () => newDatabase(process.env[TEMPLATE] && copying(process.env[TEMPLATE])),
    /** Creates a copy of the database at an address. */
    async copyOf(url: string): Promise<string> {
      const name = new URL(url).pathname.slice(1);
      await disconnect(name);
      return await newDatabase(copying(name));
    },
    /** Returns a database on the server of the run before it has been created. */
    reserveDatabase(): ReservedDatabase {
      if (!shared)
        throw new Error(`run it by test/run.ts, which starts a server: ${SHARED_SERVER} is not set`);
      const name = newName();
      // A command finds an installation there; `newDatabase` creates an empty database.
      const isMade = create(name, copying(process.env[TEMPLATE] ?? "template1"));
      return {
        name,
        url: addressOn(shared, name),
        isMade,
        async copyTo(other) {
          await Promise.all([isMade, other.isMade]);
          await ask(`DROP DATABASE ${other.name} WITH (FORCE)`);
          await disconnect(name);
          await ask(`CREATE DATABASE ${other.name} ${copying(name)}`);
        },
      };
    },
    /** Runs SQL as the superuser. */
    ask,
  };
}

import { afterAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { eventually } from "./eventually.ts";
import { PostgresServer, SHARED_POOLER, SHARED_SERVER, STORAGE, TEMPLATE } from "./postgres-server.ts";

export const onPostgres = process.env[STORAGE] === "postgres";

const nothing = Object.assign(() => {}, { each: () => () => {} }) as never;
/** A test of what there is only where the data is in a file: not there on PostgreSQL. */
export const testOnFile: typeof test = onPostgres ? nothing : test;
export const describeOnFile: typeof describe = onPostgres ? nothing : describe;

/** How often to try what is the same rule on every engine, and costs several times as much on PostgreSQL. */
export const runsHere = (runs: number) => (onPostgres ? Math.ceil(runs / 4) : runs);

const pooler = process.env[SHARED_POOLER];

/** The address of a database on the server itself: not through its PgBouncer, which knows one user. */
export function directTo(url: string): string {
  const direct = new URL(url);
  if (direct.host === pooler) direct.host = new URL(process.env[SHARED_SERVER]!).host;
  return direct.href;
}

/** The same database for who waits for it no longer than the product does by itself. */
export function withUsualPatience(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete("connect_timeout");
  return parsed.href;
}

/** An administrator's connection, to the server itself. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(directTo(url));
  // Ended with its database, or its server.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Runs SQL on a connection of its own: the rows. */
export async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connectTo(url);
  try {
    return (await client.query({ text, types: TYPES })).rows;
  } finally {
    await client.end();
  }
}

/** Resolves once somebody waits for a lock on a whole table. */
export async function waitedFor(url: string, table: string): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await eventually(async () => expect(await rowsOf(url, waiting)).not.toEqual([]));
}

/** Everything that a database holds, as text: what a secret would be found in. */
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

/** The address of a database of a server, as `storage.url` takes it: through its PgBouncer where it has one. */
function addressOn(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  // A busy machine is no database that is away.
  url.search = "?connect_timeout=20";
  if (pooler !== undefined && serverUrl === process.env[SHARED_SERVER]) {
    url.host = pooler;
    url.search += "&prepared=false";
  }
  return url.href;
}

const newName = () => `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;

/** Whole numbers as numbers. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: "text") =>
    [pg.types.builtins.INT8, pg.types.builtins.NUMERIC].includes(type)
      ? Number
      : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
};

/** A database that is being made. */
export type ReservedDatabase = {
  name: string;
  /** As `storage.url` takes it. */
  url: string;
  isMade: Promise<void>;
  /** Puts a copy of it in the place of another; whoever is connected to either is cut off. */
  copyTo(other: ReservedDatabase): Promise<void>;
};

/**
 * Databases on a PostgreSQL server: the one of the whole run, or one of this file's own. Call it at the file's top;
 * what it makes is gone when the file's tests are over.
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
  // One after another, as the driver wants it of those who share a connection.
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
  /** Whoever is connected to it is cut off: only what nobody has open can be copied. */
  const disconnect = (name: string) =>
    ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  return {
    /** Makes an empty database, and gives its address as `storage.url` takes it. */
    newDatabase,
    /** The same with the schema in it, where the run has one to copy. */
    newInstallation: () => newDatabase(process.env[TEMPLATE] && `TEMPLATE ${process.env[TEMPLATE]}`),
    /** Makes a copy of the one at an address. */
    async copyOf(url: string): Promise<string> {
      const name = new URL(url).pathname.slice(1);
      await disconnect(name);
      return await newDatabase(`TEMPLATE ${name}`);
    },
    /** A database on the server of the whole run, which will be there. */
    reserveDatabase(): ReservedDatabase {
      if (!shared)
        throw new Error(`run it by test/run.ts, which starts a server: ${SHARED_SERVER} is not set`);
      const name = newName();
      // A command finds an installation there; who wants an empty one makes that by `newDatabase`.
      const isMade = create(name, `TEMPLATE ${process.env[TEMPLATE] ?? "template1"}`);
      return {
        name,
        url: addressOn(shared, name),
        isMade,
        async copyTo(other) {
          await Promise.all([isMade, other.isMade]);
          await ask(`DROP DATABASE ${other.name} WITH (FORCE)`);
          await disconnect(name);
          await ask(`CREATE DATABASE ${other.name} TEMPLATE ${name}`);
        },
      };
    },
    /** Runs SQL as the superuser. */
    ask,
  };
}

import { afterAll, test } from "bun:test";
import pg from "pg";
import { PostgresServer, SHARED_SERVER, STORAGE } from "./postgres-server.ts";

export const onPostgres = process.env[STORAGE] === "postgres";

/** A test of what there is only where the data is in a file: not there on PostgreSQL. */
export const testOnFile: typeof test = onPostgres ? ((() => {}) as never) : test;

/** An administrator's connection. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
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

const newName = () => `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;

/** Whole numbers as numbers. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: "text") =>
    [pg.types.builtins.INT8, pg.types.builtins.NUMERIC].includes(type)
      ? Number
      : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
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
  const addressOf = async (database: string) => {
    const url = new URL(shared ?? (await server()).url());
    url.pathname = `/${database}`;
    url.search = "?connect_timeout=20";
    return url.href;
  };
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
  return {
    /** Makes an empty database, and gives its address as `storage.url` takes it. */
    async newDatabase(options = ""): Promise<string> {
      const name = newName();
      await create(name, options);
      return await addressOf(name);
    },
    /** The address of a database on the server of the whole run, and when it will be there. */
    reserveDatabase(): { url: string; isMade: Promise<void> } {
      if (!shared)
        throw new Error(`run it by test/run.ts, which starts a server: ${SHARED_SERVER} is not set`);
      const name = newName();
      // A busy machine is no database that is away.
      const parts = { pathname: `/${name}`, search: "?connect_timeout=20" };
      return { url: Object.assign(new URL(shared), parts).href, isMade: create(name) };
    },
    /** Runs SQL as the superuser. */
    ask,
  };
}
